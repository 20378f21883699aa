package io.cairn.server.config.transfer;

import io.cairn.server.config.ConfigAttributes;
import io.cairn.server.config.transfer.TransferException.Fault;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Enumeration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.jspecify.annotations.Nullable;

/**
 * An archive that somebody sent, so nothing it says is believed: neither how many entries it has nor how large they are.
 * One content is in memory at a time. Not thread-safe.
 */
final class ArchiveReader implements AutoCloseable {

    private static final int MAX_NAME_SHOWN = 300;
    private static final int MAX_SHOWN_ENTRIES = 3;

    private final ZipFile zip;
    private final ArchiveLimits limits;
    private final List<Entry> entries = new ArrayList<>();
    private final List<UnrecognizedEntry> unrecognized = new ArrayList<>();
    /** Whether names that are not marked as UTF-8 are handed out with a character for each byte. */
    private final boolean namesAreBytes;

    /** One configuration of an archive. */
    record ArchivedConfig(String group, String dataId, String content, ConfigAttributes attributes) {}

    private record Entry(ZipEntry zipEntry, ArchiveList.Item item) {}

    /** What is done with each configuration. */
    interface Visitor {
        void visit(ArchivedConfig config);
    }

    private ArchiveReader(ZipFile zip, boolean namesAreBytes, ArchiveLimits limits) {
        this.zip = zip;
        this.namesAreBytes = namesAreBytes;
        this.limits = limits;
    }

    /**
     * Opens an archive and looks through its names, sizes and list.
     *
     * @throws TransferException when there is nothing in it, or something that must not be
     */
    static ArchiveReader open(Path file, ArchiveLimits limits) throws IOException {
        ArchiveReader reader = openZip(file, limits);
        try {
            reader.look();
            return reader;
        } catch (IllegalArgumentException e) {
            reader.close();
            throw unreadable("a name in it cannot be read (" + e.getMessage() + ")");
        } catch (RuntimeException e) {
            reader.close();
            throw e;
        }
    }

    private static ArchiveReader openZip(Path file, ArchiveLimits limits) throws IOException {
        try {
            return new ArchiveReader(new ZipFile(file.toFile(), StandardCharsets.UTF_8), false, limits);
        } catch (IOException | IllegalArgumentException e) {
            // Damaged archives end in exceptions of all kinds.
            if (!looksLikeZip(file)) {
                throw new TransferException(Fault.EMPTY, "The file is empty or no zip archive");
            }
        }
        try {
            // Perhaps only a name is not UTF-8. In this charset each sequence of bytes is a name.
            return new ArchiveReader(new ZipFile(file.toFile(), StandardCharsets.ISO_8859_1), true, limits);
        } catch (IOException | IllegalArgumentException e) {
            throw unreadable(e.getMessage() == null ? "it ends too early" : e.getMessage());
        }
    }

    private static boolean looksLikeZip(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            byte[] start = in.readNBytes(2);
            return start.length == 2 && start[0] == 'P' && start[1] == 'K';
        }
    }

    private void look() {
        if (zip.size() > limits.entries()) {
            throw unreadable(zip.size() + " entries (expected: at most " + limits.entries() + ")");
        }
        Map<String, ZipEntry> files = new LinkedHashMap<>();
        Set<String> names = new HashSet<>();
        long claimed = 0;
        Enumeration<? extends ZipEntry> all = zip.entries();
        while (all.hasMoreElements()) {
            ZipEntry entry = all.nextElement();
            if (!names.add(entry.getName())) {
                throw unreadable("entry '" + shown(entry.getName()) + "' twice");
            }
            claimed += Math.max(0, entry.getSize());
            if (claimed > limits.totalBytes()) {
                throw unreadable("more than " + limits.totalBytes() + " bytes unpacked");
            }
            sort(entry, files);
        }
        ZipEntry listed = files.remove(ArchiveLayout.LISTED.entry());
        ZipEntry appNames = files.remove(ArchiveLayout.APP_NAMES.entry());
        if (listed != null) {
            recognize(files, ArchiveList.items(text(listed, limits.listBytes()), limits.listBytes()));
        } else {
            recognizeByName(files, appNames == null ? Map.of() : ArchiveList.lines(text(appNames, limits.listBytes())));
        }
        if (entries.isEmpty()) {
            throw nothing();
        }
    }

    private TransferException nothing() {
        if (unrecognized.isEmpty()) {
            return new TransferException(Fault.EMPTY, "There is no file in the archive");
        }
        String first = unrecognized.stream()
                .limit(MAX_SHOWN_ENTRIES)
                .map(UnrecognizedEntry::toString)
                .collect(Collectors.joining(", "));
        int more = unrecognized.size() - MAX_SHOWN_ENTRIES;
        return new TransferException(
                Fault.NO_CONFIGURATION,
                "There is no configuration in the archive, but " + first + (more > 0 ? " and " + more + " more" : "")
                        + " (expected: files named <group>/<dataId>, and " + ArchiveLayout.LISTED.entry()
                        + " beside the groups)");
    }

    /** Puts an entry to the files by its normalized name, or to what is left out. */
    private void sort(ZipEntry entry, Map<String, ZipEntry> files) {
        String spelled = namesAreBytes ? decoded(entry.getName()) : entry.getName();
        if (spelled == null) {
            leaveOut(escaped(entry.getName()), UnrecognizedEntry.NO_TEXT);
            return;
        }
        String name = EntryName.normalized(spelled);
        if (name.isEmpty() || name.endsWith("/")) {
            return; // a folder
        }
        if (EntryName.isOfSystem(name)) {
            leaveOut(spelled, UnrecognizedEntry.OF_SYSTEM);
        } else if (files.putIfAbsent(name, entry) != null) {
            leaveOut(spelled, UnrecognizedEntry.TWICE);
        }
    }

    /** A name of bytes as text; null when they are not UTF-8. A name beyond Latin-1 was marked as UTF-8 and is one. */
    private static @Nullable String decoded(String name) {
        if (name.chars().anyMatch(c -> c > 0xff)) {
            return name;
        }
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(name.getBytes(StandardCharsets.ISO_8859_1)))
                    .toString();
        } catch (CharacterCodingException e) {
            return null;
        }
    }

    private static String escaped(String name) {
        StringBuilder escaped = new StringBuilder();
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            escaped.append(c < 0x80 ? String.valueOf(c) : String.format("\\x%02X", (int) c));
        }
        return escaped.toString();
    }

    private void leaveOut(String name, String reason) {
        unrecognized.add(new UnrecognizedEntry(shown(name), reason));
    }

    private void recognize(Map<String, ZipEntry> files, Map<String, ArchiveList.Item> items) {
        Set<String> absent = new LinkedHashSet<>(items.keySet());
        files.forEach((name, entry) -> {
            String key = items.containsKey(name) ? name : originalName(name);
            ArchiveList.Item item = items.get(key);
            if (item != null) {
                absent.remove(key);
                entries.add(new Entry(entry, item));
            } else {
                leaveOut(name, EntryName.climbs(name) ? UnrecognizedEntry.CLIMBS : UnrecognizedEntry.NOT_LISTED);
            }
        });
        absent.forEach(key -> leaveOut(key, UnrecognizedEntry.NO_FILE));
    }

    private static String originalName(String name) {
        return Arrays.stream(name.split("/", -1)).map(EntryName::original).collect(Collectors.joining("/"));
    }

    private void recognizeByName(Map<String, ZipEntry> files, Map<String, String> lines) {
        files.forEach((name, entry) -> {
            String[] parts = name.split("/", -1);
            if (EntryName.climbs(name)) {
                leaveOut(name, UnrecognizedEntry.CLIMBS);
            } else if (parts.length != 2 || parts[0].isBlank() || parts[1].isBlank()) {
                leaveOut(name, UnrecognizedEntry.NO_CONFIGURATION);
            } else {
                entries.add(new Entry(
                        entry, ArchiveList.named(EntryName.original(parts[0]), EntryName.original(parts[1]), lines)));
            }
        });
    }

    /** Entries that are no configurations, or not in the list; and what the list names beyond the entries. */
    List<UnrecognizedEntry> unrecognized() {
        return unrecognized;
    }

    /**
     * Reads the configurations in the order of the archive.
     *
     * @throws TransferException when one is too large, or not in UTF-8
     */
    void forEach(Visitor visitor) {
        for (Entry entry : entries) {
            ArchiveList.Item item = entry.item();
            visitor.visit(new ArchivedConfig(
                    item.group(), item.dataId(), text(entry.zipEntry(), limits.contentBytes()), item.attributes()));
        }
    }

    private String text(ZipEntry entry, int maxBytes) {
        byte[] bytes;
        try (InputStream in = zip.getInputStream(entry)) {
            // What it says of its size is not believed: it is unpacked until it ends or is too large.
            bytes = in.readNBytes(maxBytes + 1);
        } catch (IOException e) {
            throw unreadable("entry '" + shown(entry.getName()) + "': it cannot be unpacked (" + e.getMessage() + ")");
        }
        if (bytes.length > maxBytes) {
            throw unreadable("entry '" + shown(entry.getName()) + "': more than " + maxBytes + " bytes");
        }
        if (bytes.length != entry.getSize()) {
            throw unreadable("entry '" + shown(entry.getName()) + "': " + bytes.length + " bytes (expected: "
                    + entry.getSize() + " as the archive says)");
        }
        CRC32 checksum = new CRC32();
        checksum.update(bytes);
        if (checksum.getValue() != entry.getCrc()) {
            throw unreadable("entry '" + shown(entry.getName()) + "': its checksum is wrong");
        }
        return utf8(entry, bytes);
    }

    private static String utf8(ZipEntry entry, byte[] bytes) {
        CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
        ByteBuffer in = ByteBuffer.wrap(bytes);
        CharBuffer out = CharBuffer.allocate(bytes.length);
        CoderResult result = decoder.decode(in, out, true);
        if (result.isError()) {
            throw new TransferException(
                    Fault.ILLEGAL_CONFIG,
                    "entry '" + shown(entry.getName()) + "': byte " + in.position() + " is not UTF-8");
        }
        return out.flip().toString();
    }

    private static String shown(String name) {
        String cut = name.length() <= MAX_NAME_SHOWN ? name : name.substring(0, MAX_NAME_SHOWN) + "…";
        return cut.replaceAll("\\p{Cntrl}", "?");
    }

    private static TransferException unreadable(String why) {
        return new TransferException(Fault.UNREADABLE, "The archive is refused: " + why);
    }

    @Override
    public void close() throws IOException {
        zip.close();
    }
}
