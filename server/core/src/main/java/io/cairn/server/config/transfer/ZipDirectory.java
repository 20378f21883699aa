package io.cairn.server.config.transfer;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.zip.ZipEntry;
import org.jspecify.annotations.Nullable;

/**
 * The directory at the end of a zip archive. {@link java.util.zip.ZipFile} refuses a whole archive for one unreadable entry without
 * naming it, and does not distinguish symbolic links from files. So this removes such entries from the directory first. An invalid
 * directory stays: ZipFile then reports the problem.
 */
final class ZipDirectory {

    private static final int HEADER = 0x02014b50;
    private static final int HEADER_BYTES = 46;
    private static final int END = 0x06054b50;
    private static final int END_BYTES = 22;
    private static final int LOCATOR_64 = 0x07064b50;
    private static final int LOCATOR_64_BYTES = 20;
    private static final int END_64 = 0x06064b50;
    private static final int END_64_BYTES = 56;
    private static final int MAX_COMMENT = 0xffff;

    private static final int ENCRYPTED = 1;
    private static final int UNIX = 3;
    private static final int MACOS = 19;
    private static final int FILE_TYPE = 0170000;
    private static final int SYMBOLIC_LINK = 0120000;

    private static final Map<Integer, String> METHODS =
            Map.of(9, "Deflate64", 12, "BZIP2", 14, "LZMA", 93, "Zstandard", 95, "XZ", 98, "PPMd");

    private ZipDirectory() {}

    /**
     * An archive's end from its directory on.
     *
     * @param start of the directory in the file
     * @param bytes from the directory's end to the file's end
     * @param last position of the end record in them, after that of large archives, if any
     */
    private record End(long start, int directoryBytes, ByteBuffer bytes, int last) {

        /** With a shorter directory of fewer entries. */
        ByteBuffer shortened(int removedBytes, int removedEntries) {
            ByteBuffer end = ByteBuffer.allocate(bytes.capacity()).order(ByteOrder.LITTLE_ENDIAN);
            end.put(bytes.duplicate().rewind()).flip();
            if (last > 0) {
                end.putLong(24, end.getLong(24) - removedEntries);
                end.putLong(32, end.getLong(32) - removedEntries);
                end.putLong(40, end.getLong(40) - removedBytes);
                int locator = last - LOCATOR_64_BYTES;
                end.putLong(locator + 8, end.getLong(locator + 8) - removedBytes);
            }
            if (u16(end, last + 8) != 0xffff) {
                end.putShort(last + 8, (short) (u16(end, last + 8) - removedEntries));
            }
            if (u16(end, last + 10) != 0xffff) {
                end.putShort(last + 10, (short) (u16(end, last + 10) - removedEntries));
            }
            if (end.getInt(last + 12) != -1) {
                end.putInt(last + 12, end.getInt(last + 12) - removedBytes);
            }
            return end;
        }
    }

    /**
     * Removes unreadable entries, symbolic links and repeated names.
     *
     * @return the removed entries with reasons
     */
    static List<UnrecognizedEntry> takeOutUnreadable(Path file, int maxEntries) throws IOException {
        try (FileChannel archive = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            End end = end(archive);
            if (end == null) {
                return List.of();
            }
            ByteBuffer directory = read(archive, end.start(), end.directoryBytes());
            ByteBuffer kept = ByteBuffer.allocate(directory.capacity()).order(ByteOrder.LITTLE_ENDIAN);
            List<UnrecognizedEntry> out = new ArrayList<>();
            Set<String> names = new HashSet<>();
            int entries = 0;
            int removed = 0;
            int at = 0;
            while (at < directory.capacity()) {
                if (directory.capacity() - at < HEADER_BYTES || directory.getInt(at) != HEADER) {
                    return List.of();
                }
                int next =
                        at + HEADER_BYTES + u16(directory, at + 28) + u16(directory, at + 30) + u16(directory, at + 32);
                if (next > directory.capacity() || ++entries > maxEntries) {
                    return List.of();
                }
                byte[] name = new byte[u16(directory, at + 28)];
                directory.get(at + HEADER_BYTES, name);
                // Each byte as a character, so that different bytes are different names.
                String key = new String(name, StandardCharsets.ISO_8859_1);
                String reason = names.contains(key) ? UnrecognizedEntry.TWICE : reason(directory, at, name);
                if (reason == null) {
                    names.add(key);
                    keep(directory, at, kept);
                } else {
                    removed++;
                    if (!key.endsWith("/") || !reason.equals(UnrecognizedEntry.TWICE)) {
                        String text = decoded(name);
                        out.add(UnrecognizedEntry.of(text == null ? escaped(name) : text, reason));
                    }
                }
                at = next;
            }
            if (kept.position() < directory.capacity()) {
                int removedBytes = directory.capacity() - kept.position();
                kept.flip();
                archive.truncate(end.start());
                write(archive, kept, end.start());
                write(archive, end.shortened(removedBytes, removed), end.start() + kept.limit());
            }
            return out;
        }
    }

    /** Why an entry is removed, or null. */
    private static @Nullable String reason(ByteBuffer directory, int at, byte[] name) {
        int method = u16(directory, at + 10);
        int system = u16(directory, at + 4) >> 8;
        int mode = u16(directory, at + 40);
        if (decoded(name) == null) {
            return UnrecognizedEntry.NO_TEXT;
        }
        if ((u16(directory, at + 8) & ENCRYPTED) != 0) {
            return UnrecognizedEntry.ENCRYPTED;
        }
        if (method != ZipEntry.STORED && method != ZipEntry.DEFLATED) {
            String known = METHODS.get(method);
            return "its compression method is " + method + (known == null ? "" : " (" + known + ')')
                    + "; write the archive with method 8 (Deflate) or 0 (stored)";
        }
        return (system == UNIX || system == MACOS) && (mode & FILE_TYPE) == SYMBOLIC_LINK
                ? UnrecognizedEntry.SYMBOLIC_LINK
                : null;
    }

    /** Copies an entry without its comment, which is unused and of any charset. */
    private static void keep(ByteBuffer directory, int at, ByteBuffer kept) {
        int start = kept.position();
        int length = HEADER_BYTES + u16(directory, at + 28) + u16(directory, at + 30);
        kept.put(directory.slice(at, length));
        kept.putShort(start + 32, (short) 0);
    }

    private static @Nullable End end(FileChannel archive) throws IOException {
        long size = archive.size();
        int tailBytes = (int) Math.min(size, END_BYTES + MAX_COMMENT);
        long tailStart = size - tailBytes;
        ByteBuffer tail = read(archive, tailStart, tailBytes);
        for (int at = tailBytes - END_BYTES; at >= 0; at--) {
            if (isEnd(tail, at)) {
                return end(archive, tailStart + at, tail, at);
            }
        }
        return null;
    }

    private static boolean isEnd(ByteBuffer bytes, int at) {
        return bytes.getInt(at) == END && at + END_BYTES + u16(bytes, at + 20) == bytes.capacity();
    }

    private static @Nullable End end(FileChannel archive, long endStart, ByteBuffer tail, int at) throws IOException {
        long from = endStart;
        long directoryBytes = tail.getInt(at + 12) & 0xffffffffL;
        long locatorStart = endStart - LOCATOR_64_BYTES;
        ByteBuffer locator = read(archive, locatorStart, locatorStart < 0 ? 0 : LOCATOR_64_BYTES);
        if (locator.capacity() > 0 && locator.getInt(0) == LOCATOR_64) {
            long start64 = locator.getLong(8);
            if (start64 < 0 || start64 > locatorStart - END_64_BYTES) {
                return null;
            }
            ByteBuffer end64 = read(archive, start64, END_64_BYTES);
            if (end64.getInt(0) != END_64) {
                return null;
            }
            from = start64;
            directoryBytes = end64.getLong(40);
        }
        if (directoryBytes < 0 || directoryBytes > from || archive.size() - from > Integer.MAX_VALUE) {
            return null;
        }
        return directoryBytes > Integer.MAX_VALUE
                ? null
                : new End(
                        from - directoryBytes,
                        (int) directoryBytes,
                        read(archive, from, (int) (archive.size() - from)),
                        (int) (endStart - from));
    }

    /** The UTF-8 text, whether it is marked so or not; else null. */
    private static @Nullable String decoded(byte[] name) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(name))
                    .toString();
        } catch (CharacterCodingException e) {
            return null;
        }
    }

    private static String escaped(byte[] name) {
        StringBuilder escaped = new StringBuilder();
        for (byte b : name) {
            escaped.append(b >= 0 ? String.valueOf((char) b) : String.format("\\x%02X", b));
        }
        return escaped.toString();
    }

    private static int u16(ByteBuffer bytes, int at) {
        return bytes.getShort(at) & 0xffff;
    }

    private static ByteBuffer read(FileChannel archive, long start, int length) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
        long at = start;
        while (bytes.hasRemaining()) {
            int count = archive.read(bytes, at);
            if (count < 0) {
                throw new IOException("it ends at byte " + at);
            }
            at += count;
        }
        return bytes.flip();
    }

    private static void write(FileChannel archive, ByteBuffer bytes, long start) throws IOException {
        long at = start;
        while (bytes.hasRemaining()) {
            at += archive.write(bytes, at);
        }
    }
}
