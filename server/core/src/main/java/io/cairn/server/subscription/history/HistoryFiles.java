package io.cairn.server.subscription.history;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files of events in a folder, numbered from the oldest. The newest is appended to; the oldest are deleted beyond the size or
 * the age. Not synchronized to the disk: the events of a killed process are kept, those before a loss of power may be lost.
 * Thread-safe; blocks on the disk.
 */
final class HistoryFiles implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(HistoryFiles.class);

    /** The parts of the size and of the age in one file, so that a deletion takes little. */
    private static final int PARTS = 16;

    /** Of one file, because a search has a whole file in memory. */
    private static final long MOST_BYTES = 4L << 20;

    private static final String SUFFIX = ".events";

    private final Path folder;
    private final HistoryLimits limits;
    private final Clock clock;

    /** The oldest first. */
    @GuardedBy("this")
    private final List<Path> files = new ArrayList<>();

    @GuardedBy("this")
    private @Nullable FileChannel newest;

    @GuardedBy("this")
    private Segment.Writer writer = new Segment.Writer();

    @GuardedBy("this")
    private long newestBytes;

    @GuardedBy("this")
    private long begunMillis;

    @GuardedBy("this")
    private long lastNumber;

    /** @throws IOException if the folder cannot be made or listed */
    HistoryFiles(Path folder, HistoryLimits limits, Clock clock) throws IOException {
        this.folder = folder;
        this.limits = limits;
        this.clock = clock;
        Files.createDirectories(folder);
        files.addAll(present(folder));
        if (!files.isEmpty()) {
            String name = files.get(files.size() - 1).getFileName().toString();
            lastNumber = Long.parseLong(name.substring(0, name.length() - SUFFIX.length()));
        }
    }

    private static List<Path> present(Path folder) throws IOException {
        try (Stream<Path> all = Files.list(folder)) {
            return all.filter(file -> file.getFileName().toString().matches("\\d{10}" + SUFFIX))
                    .sorted()
                    .toList();
        }
    }

    /**
     * Appends the events of the action, all or none.
     *
     * @throws IOException if the disk refuses them; the next call begins another file
     */
    synchronized void append(Consumer<Segment.Writer> events) throws IOException {
        long now = clock.millis();
        if (newest == null || newestBytes >= partOfSize() || now - begunMillis >= partOfAge()) {
            begin(now);
        }
        FileChannel file = Objects.requireNonNull(newest);
        long before = newestBytes;
        boolean isWritten = false;
        try {
            events.accept(writer);
            ByteBuffer bytes = writer.take();
            newestBytes += bytes.remaining();
            while (bytes.hasRemaining()) {
                file.write(bytes);
            }
            isWritten = true;
        } finally {
            if (!isWritten) {
                takeBack(file, before);
            }
        }
    }

    /** Removes the parts of records, after which no reader finds the next one, and begins another file with the next event. */
    @GuardedBy("this")
    private void takeBack(FileChannel file, long length) {
        try {
            file.truncate(length);
        } catch (IOException e) {
            log.debug("A file in {} keeps a part of a record", folder, e);
        }
        close();
        if (length == 0) {
            Path empty = files.remove(files.size() - 1);
            try {
                Files.deleteIfExists(empty);
            } catch (IOException e) {
                log.debug("The empty file {} stays", empty, e);
            }
        }
    }

    @GuardedBy("this")
    private void begin(long now) throws IOException {
        close();
        deleteOld(now);
        Path next = folder.resolve(String.format("%010d%s", ++lastNumber, SUFFIX));
        newest = FileChannel.open(next, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        files.add(next);
        writer = new Segment.Writer();
        newestBytes = 0;
        begunMillis = now;
    }

    private long partOfSize() {
        return Math.min(MOST_BYTES, limits.maxBytes() / PARTS);
    }

    private long partOfAge() {
        return limits.keep().toMillis() / PARTS;
    }

    /** Keeps room for the next file. */
    @GuardedBy("this")
    private void deleteOld(long now) throws IOException {
        long left = limits.maxBytes() - partOfSize();
        long oldest = now - limits.keep().toMillis();
        Deque<Path> kept = new ArrayDeque<>();
        for (int i = files.size() - 1; i >= 0; i--) {
            Path file = files.get(i);
            if (!Files.exists(file)) {
                continue;
            }
            left -= Files.size(file);
            if (left < 0 || Files.getLastModifiedTime(file).toMillis() < oldest) {
                Files.delete(file);
            } else {
                kept.addFirst(file);
            }
        }
        files.clear();
        files.addAll(kept);
    }

    /** The newest events of the filter, the newest first, at most that many. */
    List<ClientEvent> find(EventFilter filter, int atMost) throws IOException {
        List<Path> present;
        synchronized (this) {
            present = new ArrayList<>(files);
        }
        Collections.reverse(present);
        long oldest = clock.millis() - limits.keep().toMillis();
        List<ClientEvent> found = new ArrayList<>();
        for (Path file : present) {
            if (found.size() >= atMost) {
                break;
            }
            Iterator<ClientEvent> newestFirst =
                    newestOf(file, filter, atMost - found.size()).descendingIterator();
            newestFirst.forEachRemaining(event -> {
                if (event.atMillis() >= oldest) {
                    found.add(event);
                }
            });
        }
        return found;
    }

    private static Deque<ClientEvent> newestOf(Path file, EventFilter filter, int atMost) throws IOException {
        Deque<ClientEvent> events = new ArrayDeque<>();
        byte[] bytes;
        try {
            bytes = Files.readAllBytes(file);
        } catch (java.nio.file.NoSuchFileException deletedMeanwhile) {
            return events;
        }
        try {
            new Segment.Reader(ByteBuffer.wrap(bytes)).read(filter, event -> {
                if (events.size() == atMost) {
                    events.removeFirst();
                }
                events.addLast(event);
            });
        } catch (Segment.MalformedSegmentException e) {
            log.warn(
                    "The rest of {} is left out, because it cannot be read: {}; delete the file", file, e.getMessage());
        }
        return events;
    }

    /** The bytes of all files. */
    synchronized long bytes() throws IOException {
        long sum = 0;
        for (Path file : files) {
            sum += Files.exists(file) ? Files.size(file) : 0;
        }
        return sum;
    }

    @Override
    public synchronized void close() {
        FileChannel file = newest;
        newest = null;
        if (file != null) {
            try {
                file.close();
            } catch (IOException e) {
                log.warn("A file in {} cannot be closed: {}", folder, e.toString());
            }
        }
    }
}
