package io.cairn.server.testing;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;

/** Damages pages of a database file of SQLite, as a failing disk does. */
public final class DamagedPages {

    private static final int PAGE_BYTES = 4096;
    private static final int POINTER_BYTES = 4;

    private DamagedPages() {}

    /**
     * Overwrites the pages that hold only repetitions of that text: the pages of a long content. The write-ahead log is in the file
     * already.
     *
     * @return how many pages
     */
    public static int of(Path file, String text) throws IOException {
        byte[] damage = new byte[PAGE_BYTES];
        Arrays.fill(damage, (byte) 0xff);
        byte[] page = new byte[PAGE_BYTES];
        int damaged = 0;
        try (RandomAccessFile pages = new RandomAccessFile(file.toFile(), "rw")) {
            for (long at = 0; at < pages.length(); at += PAGE_BYTES) {
                pages.seek(at);
                pages.readFully(page);
                String held = new String(page, POINTER_BYTES, PAGE_BYTES - POINTER_BYTES, StandardCharsets.ISO_8859_1);
                if (held.replace(text, "").length() < 2 * text.length()) {
                    pages.seek(at);
                    pages.write(damage);
                    damaged++;
                }
            }
        }
        return damaged;
    }
}
