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
import java.util.Comparator;
import java.util.Enumeration;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.jspecify.annotations.Nullable;

/** An uploaded archive, whose stated counts and sizes are not trusted. Holds one content in memory. Not thread-safe. */
final class ArchiveReader implements AutoCloseable {

    private static final int MAX_SHOWN_ENTRIES = 3;

    private final ZipFile zip;
    private final ArchiveLimits limits;
    private final List<Entry> entries = new ArrayList<>();
    private final List<UnrecognizedEntry> unrecognized = new ArrayList<>();
    /** Configurations among {@link #unrecognized} that could not be published. */
    private final List<UnrecognizedEntry> notPublishable = new ArrayList<>();

    record ArchivedConfig(String group, String dataId, String content, ConfigAttributes attributes) {}

    private record Entry(ZipEntry zipEntry, ArchiveList.Item item) {}

    interface Visitor {
        /** @throws NotPublishable to leave it out */
        void visit(ArchivedConfig config) throws NotPublishable;
    }

    private ArchiveReader(ZipFile zip, ArchiveLimits limits) {
        this.zip = zip;
        this.limits = limits;
    }

    /**
     * Checks names, sizes and list, and removes unreadable entries from the file.
     *
     * @throws TransferException for an empty archive, or a forbidden entry
     */
    static ArchiveReader open(Path file, ArchiveLimits limits) throws IOException {
        String otherKind = OtherFile.kind(file);
        if (otherKind != null) {
            throw new TransferException(
                    Fault.NO_CONFIGURATION, "The file is " + otherKind + " (expected: a zip archive)");
        }
        List<UnrecognizedEntry> unreadable = ZipDirectory.takeOutUnreadable(file, limits.entries());
        ArchiveReader reader = openZip(file, limits);
        try {
            reader.leaveOutUnreadable(unreadable);
            reader.inspect();
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
            return new ArchiveReader(new ZipFile(file.toFile(), StandardCharsets.UTF_8), limits);
        } catch (IOException | IllegalArgumentException e) {
            // Damaged archives cause either exception.
            if (!looksLikeZip(file)) {
                throw new TransferException(
                        Fault.EMPTY, "The file is no zip archive (expected: a zip archive, as an export is one)");
            }
            throw unreadable(e.getMessage() == null ? "it ends too early" : e.getMessage());
        }
    }

    private static boolean looksLikeZip(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            byte[] start = in.readNBytes(2);
            return start.length == 2 && start[0] == 'P' && start[1] == 'K';
        }
    }

    /** Without its list an archive has another meaning, so an unreadable list refuses all. */
    private void leaveOutUnreadable(List<UnrecognizedEntry> unreadable) {
        for (UnrecognizedEntry entry : unreadable) {
            if (EntryName.isList(EntryName.normalized(entry.name()))
                    && !entry.reason().equals(UnrecognizedEntry.TWICE)) {
                throw unreadable("entry '" + entry.name() + "': " + entry.reason());
            }
            unrecognized.add(entry);
        }
    }

    private void inspect() {
        if (zip.size() > limits.entries()) {
            throw unreadable(zip.size() + " entries (expected: at most " + limits.entries() + ")");
        }
        Map<String, ZipEntry> files = new LinkedHashMap<>();
        long claimed = 0;
        Enumeration<? extends ZipEntry> all = zip.entries();
        while (all.hasMoreElements()) {
            ZipEntry entry = all.nextElement();
            claimed += Math.max(0, entry.getSize());
            if (claimed > limits.totalBytes()) {
                throw unreadable("more than " + limits.totalBytes() + " bytes unpacked");
            }
            String name = EntryName.normalized(entry.getName());
            boolean isFolder = name.isEmpty() || name.endsWith("/");
            if (!isFolder && files.putIfAbsent(name, entry) != null) {
                leaveOut(entry.getName(), UnrecognizedEntry.TWICE);
            }
        }
        String top = top(files.keySet());
        ZipEntry listed = files.remove(top + ArchiveLayout.LISTED.entry());
        ZipEntry appNames = files.remove(top + ArchiveLayout.APP_NAMES.entry());
        if (listed != null) {
            recognize(files, top, ArchiveList.items(list(listed), limits.listBytes()));
        } else {
            recognizeByName(files, top, appNames == null ? Map.of() : ArchiveList.lines(list(appNames)));
        }
        if (entries.isEmpty()) {
            throw nothing(listed != null || appNames != null);
        }
    }

    /** The folder of the list: the root, or one folder, as in repacked exports. */
    private static String top(Set<String> names) {
        List<String> own =
                names.stream().filter(name -> !EntryName.isOfSystem(name)).toList();
        String folder = own.stream()
                .filter(EntryName::isList)
                .map(EntryName::folder)
                .min(Comparator.comparingLong(
                        path -> path.chars().filter(c -> c == '/').count()))
                .orElse("");
        return EntryName.pathFault(folder) == null && own.stream().allMatch(name -> name.startsWith(folder))
                ? folder
                : "";
    }

    private static String below(String top, String name) {
        return name.startsWith(top) ? name.substring(top.length()) : name;
    }

    private TransferException nothing(boolean hasList) {
        if (!notPublishable.isEmpty()) {
            return new TransferException(
                    Fault.ILLEGAL_CONFIG,
                    some(notPublishable.stream().map(entry -> entry.name() + ": " + entry.reason()), notPublishable));
        }
        if (!unrecognized.isEmpty()) {
            return new TransferException(
                    Fault.NO_CONFIGURATION,
                    "There is no configuration in the archive, but "
                            + some(unrecognized.stream().map(UnrecognizedEntry::toString), unrecognized)
                            + " (expected: files named <group>/<dataId>, and " + ArchiveLayout.LISTED.entry()
                            + " beside the groups)");
        }
        if (hasList) {
            return new TransferException(
                    Fault.NO_CONFIGURATION,
                    "There is a list in the archive, but no configuration (expected: files named <group>/<dataId>)");
        }
        return zip.size() == 0
                ? new TransferException(Fault.EMPTY, "The archive has no entries")
                : new TransferException(
                        Fault.NO_CONFIGURATION,
                        "There are only folders in the archive (expected: files named <group>/<dataId>)");
    }

    private static String some(Stream<String> shown, List<UnrecognizedEntry> all) {
        int more = all.size() - MAX_SHOWN_ENTRIES;
        return shown.limit(MAX_SHOWN_ENTRIES).collect(Collectors.joining(", "))
                + (more > 0 ? " and " + more + " more" : "");
    }

    private void leaveOut(String name, String reason) {
        unrecognized.add(UnrecognizedEntry.of(name, reason));
    }

    private void recognize(Map<String, ZipEntry> files, String top, Map<String, ArchiveList.Item> items) {
        Set<String> absent = new LinkedHashSet<>(items.keySet());
        files.forEach((path, entry) -> {
            String name = below(top, path);
            String key = items.containsKey(name) ? name : EntryName.original(name);
            ArchiveList.Item item = items.get(key);
            if (item != null) {
                absent.remove(key);
                entries.add(new Entry(entry, item));
            } else {
                String fault = fault(name);
                leaveOut(entry.getName(), fault == null ? UnrecognizedEntry.NOT_LISTED : fault);
            }
        });
        absent.forEach(key -> leaveOut(key, UnrecognizedEntry.NO_FILE));
    }

    private void recognizeByName(Map<String, ZipEntry> files, String top, Map<String, String> lines) {
        files.forEach((path, entry) -> {
            String name = below(top, path);
            String[] parts = EntryName.original(name).split("/", -1);
            boolean isNamed = parts.length == 2 && ArchiveList.names(parts[0], parts[1], lines);
            String fault = isNamed
                    ? EntryName.pathFault(name)
                    : EntryName.isList(name) ? UnrecognizedEntry.LIST_ELSEWHERE : fault(name);
            if (fault != null) {
                leaveOut(entry.getName(), fault);
            } else if (parts.length != 2 || parts[0].isBlank() || parts[1].isBlank()) {
                leaveOut(entry.getName(), UnrecognizedEntry.NO_CONFIGURATION);
            } else {
                entries.add(new Entry(entry, ArchiveList.named(parts[0], parts[1], lines)));
            }
        });
    }

    private static @Nullable String fault(String name) {
        return EntryName.isOfSystem(name) ? UnrecognizedEntry.OF_SYSTEM : EntryName.pathFault(name);
    }

    /** Entries that are no configurations, not listed, or left out by {@link #forEach}; and listed ones without a file. */
    List<UnrecognizedEntry> unrecognized() {
        return unrecognized;
    }

    /**
     * Reads the configurations in the order of the archive. Unpublishable ones, by content or visitor, are left out from now on.
     *
     * @throws TransferException for a damaged archive, or without configurations
     */
    void forEach(Visitor visitor) {
        entries.removeIf(entry -> {
            ArchiveList.Item item = entry.item();
            try {
                String content = text(entry.zipEntry(), limits.contentBytes());
                if (content.isEmpty()) {
                    throw new NotPublishable(UnrecognizedEntry.EMPTY);
                }
                visitor.visit(new ArchivedConfig(item.group(), item.dataId(), content, item.attributes()));
                return false;
            } catch (NotPublishable e) {
                UnrecognizedEntry left = UnrecognizedEntry.of(entry.zipEntry().getName(), e.reason());
                unrecognized.add(left);
                notPublishable.add(left);
                return true;
            }
        });
        if (entries.isEmpty()) {
            throw nothing(true);
        }
    }

    private String list(ZipEntry entry) {
        try {
            return text(entry, limits.listBytes());
        } catch (NotPublishable e) {
            throw unreadable(at(entry) + e.reason());
        }
    }

    /** @throws NotPublishable for a large text, or another encoding than UTF-8 */
    private String text(ZipEntry entry, int maxBytes) throws NotPublishable {
        byte[] bytes;
        try (InputStream in = zip.getInputStream(entry)) {
            // The size in the header is not trusted: unpack to the end or the limit.
            bytes = in.readNBytes(maxBytes + 1);
        } catch (IOException e) {
            throw unreadable(at(entry) + "it cannot be unpacked (" + e.getMessage() + ")");
        }
        if (bytes.length > maxBytes) {
            throw new NotPublishable("more than " + maxBytes + " bytes");
        }
        if (bytes.length != entry.getSize()) {
            throw unreadable(
                    at(entry) + bytes.length + " bytes (expected: " + entry.getSize() + " as the archive says)");
        }
        CRC32 checksum = new CRC32();
        checksum.update(bytes);
        if (checksum.getValue() != entry.getCrc()) {
            throw unreadable(at(entry) + "its checksum is wrong");
        }
        return utf8(bytes);
    }

    private static String utf8(byte[] bytes) throws NotPublishable {
        CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
        ByteBuffer in = ByteBuffer.wrap(bytes);
        CharBuffer out = CharBuffer.allocate(bytes.length);
        CoderResult result = decoder.decode(in, out, true);
        if (result.isError()) {
            throw new NotPublishable("byte " + in.position() + " is not UTF-8");
        }
        return out.flip().toString();
    }

    private static String at(ZipEntry entry) {
        return "entry '" + UnrecognizedEntry.shown(entry.getName()) + "': ";
    }

    private static TransferException unreadable(String why) {
        return new TransferException(Fault.UNREADABLE, "The archive is refused: " + why);
    }

    @Override
    public void close() throws IOException {
        zip.close();
    }
}
