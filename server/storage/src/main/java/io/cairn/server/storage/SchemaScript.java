package io.cairn.server.storage;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32;

/**
 * A script that creates a part of the schema, and what the migration engine records about it in its history table.
 *
 * @param name its file name, such as {@code V1__nacos_tables.sql}
 */
record SchemaScript(String name, String text) {

    private static final String SUFFIX = ".sql";
    private static final String SEPARATOR = "__";

    /** Reads a script that comes with this class; the folder is {@code mysql} or {@code sqlite}. */
    static SchemaScript read(String folder, String name) {
        try (InputStream in = SchemaScript.class.getResourceAsStream("migration/" + folder + "/" + name)) {
            if (in == null) {
                throw new IllegalStateException("script " + name + " is not in the jar");
            }
            return new SchemaScript(name, new String(in.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String version() {
        return name.substring(1, name.indexOf(SEPARATOR));
    }

    String description() {
        return name.substring(name.indexOf(SEPARATOR) + SEPARATOR.length(), name.length() - SUFFIX.length())
                .replace('_', ' ');
    }

    /** The CRC-32 of the lines without their line ends, as the migration engine computes it. */
    int checksum() {
        CRC32 sum = new CRC32();
        text.lines().forEach(line -> sum.update(line.getBytes(StandardCharsets.UTF_8)));
        return (int) sum.getValue();
    }
}
