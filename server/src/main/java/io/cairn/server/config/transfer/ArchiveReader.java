package io.cairn.server.config.transfer;

import io.cairn.server.config.ConfigAttributes;
import io.cairn.server.config.transfer.TransferException.Fault;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * An archive that somebody sent, so nothing it says is believed: neither how many entries it has nor how large they are.
 * One content is in memory at a time. Not thread-safe.
 */
final class ArchiveReader implements AutoCloseable {

    private static final int MAX_NAME_SHOWN = 300;

    private final ZipFile zip;
    private final ArchiveLimits limits;
    private final List<Entry> entries = new ArrayList<>();
    private final List<String> unrecognized = new ArrayList<>();

    /** One configuration of an archive. */
    record ArchivedConfig(String group, String dataId, String content, ConfigAttributes attributes) {}

    private record Entry(ZipEntry zipEntry, ArchiveList.Item item) {}

    /** What is done with each configuration. */
    interface Visitor {
        void visit(ArchivedConfig config);
    }

    private ArchiveReader(ZipFile zip, ArchiveLimits limits) {
        this.zip = zip;
        this.limits = limits;
    }

    /**
     * Opens an archive and looks through its names, sizes and list.
     *
     * @throws TransferException when there is nothing in it, or something that must not be
     */
    static ArchiveReader open(Path file, ArchiveLimits limits) throws IOException {
        ArchiveReader reader = new ArchiveReader(openZip(file), limits);
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

    private static ZipFile openZip(Path file) throws IOException {
        try {
            return new ZipFile(file.toFile(), StandardCharsets.UTF_8);
        } catch (IOException | IllegalArgumentException e) {
            // Damaged archives end in exceptions of all kinds.
            if (!looksLikeZip(file)) {
                throw new TransferException(Fault.EMPTY, "The file is empty or no zip archive");
            }
            throw unreadable((e.getMessage() == null ? "it ends too early" : e.getMessage())
                    + " (expected: a zip archive whose names are in UTF-8)");
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
        List<ZipEntry> contents = new ArrayList<>();
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
            if (!entry.isDirectory() && !isList(entry.getName())) {
                contents.add(entry);
            }
        }
        ZipEntry listed = zip.getEntry(ArchiveLayout.LISTED.entry());
        if (listed != null) {
            recognize(contents, ArchiveList.items(text(listed, limits.listBytes()), limits.listBytes()));
        } else {
            ZipEntry appNames = zip.getEntry(ArchiveLayout.APP_NAMES.entry());
            recognizeByName(
                    contents, appNames == null ? Map.of() : ArchiveList.lines(text(appNames, limits.listBytes())));
        }
        if (entries.isEmpty()) {
            throw new TransferException(Fault.EMPTY, "There is no configuration in the archive");
        }
    }

    private static boolean isList(String name) {
        return name.equals(ArchiveLayout.LISTED.entry()) || name.equals(ArchiveLayout.APP_NAMES.entry());
    }

    private void recognize(List<ZipEntry> contents, Map<String, ArchiveList.Item> items) {
        Set<String> absent = new LinkedHashSet<>(items.keySet());
        for (ZipEntry content : contents) {
            ArchiveList.Item item = items.get(content.getName());
            if (item == null) {
                refuseTraversal(content.getName());
                unrecognized.add(content.getName());
            } else {
                absent.remove(content.getName());
                entries.add(new Entry(content, item));
            }
        }
        unrecognized.addAll(absent);
    }

    private void recognizeByName(List<ZipEntry> contents, Map<String, String> lines) {
        for (ZipEntry content : contents) {
            String name = content.getName();
            refuseTraversal(name);
            String[] parts = name.split("/", -1);
            if (parts.length != 2 || parts[0].isBlank() || parts[1].isBlank()) {
                unrecognized.add(name);
                continue;
            }
            entries.add(new Entry(content, ArchiveList.named(parts[0], parts[1], lines)));
        }
    }

    /** Nothing here becomes a file, but who sends such a name means no good. */
    private static void refuseTraversal(String name) {
        boolean climbs = name.startsWith("/") || name.indexOf('\\') >= 0 || name.indexOf('\0') >= 0;
        for (String part : name.split("/", -1)) {
            climbs |= part.equals("..") || part.equals(".");
        }
        if (climbs) {
            throw unreadable("entry '" + shown(name) + "' (expected: <group>/<dataId>)");
        }
    }

    /** Entries that are no configurations, or not in the list; and what the list names beyond the entries. */
    List<String> unrecognized() {
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
