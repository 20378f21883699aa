package io.cairn.server.config.transfer;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Files other than zip archives, by their first bytes. */
enum OtherFile {
    GZIP("a gzip file", 0, "\u001f\u008b"),
    RAR("a RAR archive", 0, "Rar!\u001a\u0007"),
    SEVEN_ZIP("a 7z archive", 0, "7z\u00bc\u00af'\u001c"),
    BZIP2("a bzip2 file", 0, "BZh"),
    XZ("an xz file", 0, "\u00fd7zXZ"),
    ZSTANDARD("a Zstandard file", 0, "(\u00b5/\u00fd"),
    TAR("a tar archive", 257, "ustar");

    private static final int START_BYTES = 512;

    private final String words;
    private final int offset;
    private final String bytes;

    /** @param bytes a character for each */
    OtherFile(String words, int offset, String bytes) {
        this.words = words;
        this.offset = offset;
        this.bytes = bytes;
    }

    /** The kind of such a file or an empty one, else null. */
    static @Nullable String kind(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            byte[] start = in.readNBytes(START_BYTES);
            if (start.length == 0) {
                return "empty, it has 0 bytes";
            }
            String text = new String(start, StandardCharsets.ISO_8859_1);
            for (OtherFile other : values()) {
                if (text.startsWith(other.bytes, other.offset)) {
                    return other.words;
                }
            }
            return null;
        }
    }
}
