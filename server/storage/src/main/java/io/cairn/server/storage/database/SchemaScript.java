package io.cairn.server.storage.database;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32;

/**
 * A script of the schema, with the migration engine's record of it.
 *
 * @param name such as {@code V1__nacos_tables.sql}
 */
public record SchemaScript(String name, String text) {

    private static final String SUFFIX = ".sql";
    private static final String SEPARATOR = "__";

    /** From the database's folder beside this class. */
    public static SchemaScript read(String folder, String name) {
        try (InputStream in =
                SchemaScript.class.getResourceAsStream("/io/cairn/server/storage/migration/" + folder + "/" + name)) {
            if (in == null) {
                throw new IllegalStateException("script " + name + " is not in the jar");
            }
            return new SchemaScript(name, new String(in.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public String version() {
        return name.substring(1, name.indexOf(SEPARATOR));
    }

    public String description() {
        return name.substring(name.indexOf(SEPARATOR) + SEPARATOR.length(), name.length() - SUFFIX.length())
                .replace('_', ' ');
    }

    /** CRC-32 of the lines without line ends, as in the migration engine. */
    public int checksum() {
        CRC32 sum = new CRC32();
        text.lines().forEach(line -> sum.update(line.getBytes(StandardCharsets.UTF_8)));
        return (int) sum.getValue();
    }
}
