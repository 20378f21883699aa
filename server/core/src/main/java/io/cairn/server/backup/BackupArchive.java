package io.cairn.server.backup;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Set;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipFile;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;

/** An uploaded archive, not trusted before {@link #verify} has read all of it. Holds one row in memory. Not thread-safe. */
public final class BackupArchive implements AutoCloseable {

    private static final int MAX_MANIFEST_BYTES = 1 << 20;
    // Far above the limit of contents, because the archive has only accepted ones.
    private static final int MAX_TEXT = 256 << 20;
    private static final JsonFactory JSON = JsonFactory.builder()
            .streamReadConstraints(
                    StreamReadConstraints.builder().maxStringLength(MAX_TEXT).build())
            .build();

    private final ZipFile zip;
    private final Manifest manifest;

    private BackupArchive(ZipFile zip, Manifest manifest) {
        this.zip = zip;
        this.manifest = manifest;
    }

    /** Receives each row, with values as {@link BackupWriter.Row#put} accepts. */
    public interface Visitor<E extends Exception> {
        void visit(Map<String, Object> row) throws E;
    }

    /** @throws io.cairn.api.error.CairnException {@code INVALID_PARAMETER} for another file, or a truncated archive */
    static BackupArchive open(Path file) throws IOException {
        ZipFile zip = openZip(file);
        try {
            ZipEntry entry = zip.getEntry(Manifest.ENTRY);
            if (entry == null) {
                throw Manifest.unreadable("there is no " + Manifest.ENTRY + " in it");
            }
            try (InputStream in = zip.getInputStream(entry)) {
                return new BackupArchive(zip, Manifest.parse(in.readNBytes(MAX_MANIFEST_BYTES)));
            }
        } catch (ZipException e) {
            zip.close();
            throw Manifest.unreadable("its manifest is damaged");
        } catch (IOException | RuntimeException e) {
            zip.close();
            throw e;
        }
    }

    private static ZipFile openZip(Path file) throws IOException {
        try {
            return new ZipFile(file.toFile(), StandardCharsets.UTF_8);
        } catch (ZipException | IllegalArgumentException e) {
            throw Manifest.unreadable("it is no zip file, or its end is missing (" + e.getMessage() + ")");
        }
    }

    public Manifest manifest() {
        return manifest;
    }

    /**
     * Compares all sections with the manifest.
     *
     * @param known the names of a row's values, by section
     * @throws io.cairn.api.error.CairnException {@code INVALID_PARAMETER} with the difference
     */
    void verify(Map<String, Set<String>> known) throws IOException {
        for (Manifest.Section section : manifest.sections()) {
            Set<String> names = known.get(section.name());
            if (names == null) {
                throw Manifest.unreadable("this version of Cairn does not know its section '" + section.name() + "'");
            }
            MessageDigest digest = BackupWriter.sha256();
            long rows = read(section, digest, row -> {
                for (String name : row.keySet()) {
                    if (!names.contains(name)) {
                        throw Manifest.unreadable("this version of Cairn does not know '" + name + "' in section '"
                                + section.name() + "'");
                    }
                }
            });
            if (rows != section.rows()) {
                throw Manifest.unreadable(
                        "section '" + section.name() + "' has " + rows + " rows (expected: " + section.rows() + ")");
            }
            if (!HexFormat.of().formatHex(digest.digest()).equals(section.sha256())) {
                throw Manifest.unreadable("section '" + section.name() + "' is not what it was when it was written");
            }
        }
    }

    public <E extends Exception> void forEach(Manifest.Section section, Visitor<E> visitor) throws E {
        try {
            read(section, BackupWriter.sha256(), visitor);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private <E extends Exception> long read(Manifest.Section section, MessageDigest digest, Visitor<E> visitor)
            throws E, IOException {
        ZipEntry entry = zip.getEntry(section.entry());
        if (entry == null) {
            throw Manifest.unreadable("section '" + section.name() + "' is missing");
        }
        long rows = 0;
        try (InputStream in = new DigestInputStream(zip.getInputStream(entry), digest);
                JsonParser parser = JSON.createParser(ObjectReadContext.empty(), in)) {
            Map<String, Object> row = next(parser);
            while (row != null) {
                rows++;
                visitor.visit(row);
                row = next(parser);
            }
        } catch (JacksonException | ZipException e) {
            throw Manifest.unreadable("section '" + section.name() + "' is damaged after row " + rows);
        }
        return rows;
    }

    private static @Nullable Map<String, Object> next(JsonParser parser) {
        JsonToken token = parser.nextToken();
        if (token == null) {
            return null;
        }
        Map<String, Object> row = new HashMap<>();
        if (token != JsonToken.START_OBJECT) {
            throw Manifest.unreadable("a row is " + token + " (expected: an object)");
        }
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String name = parser.currentName();
            switch (parser.nextToken()) {
                case VALUE_STRING -> row.put(name, parser.getString());
                case VALUE_NUMBER_INT -> row.put(name, parser.getLongValue());
                case VALUE_TRUE -> row.put(name, true);
                case VALUE_FALSE -> row.put(name, false);
                default -> throw Manifest.unreadable("'" + name + "' of a row is neither text, number nor flag");
            }
        }
        return row;
    }

    @Override
    public void close() throws IOException {
        zip.close();
    }
}
