package io.cairn.server.backup;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/**
 * Writes a zip file with an entry for each section, a JSON line for each row, and the manifest last. Holds one row in memory. Not
 * thread-safe.
 */
public final class BackupWriter implements AutoCloseable {

    private static final JsonFactory JSON =
            JsonFactory.builder().rootValueSeparator((String) null).build();

    private final ZipOutputStream zip;
    private final String cairn;
    private final Instant at;
    private final List<Manifest.Section> sections = new ArrayList<>();

    /** @param cairn the server's version */
    BackupWriter(OutputStream out, String cairn, Instant at) {
        this.zip = new ZipOutputStream(out, StandardCharsets.UTF_8);
        this.cairn = cairn;
        this.at = at;
    }

    public interface Row {
        /** @param value {@link String}, {@link Long}, {@link Boolean}, or null, which is left out */
        void put(String name, @Nullable Object value);
    }

    public interface Rows {
        /** Begins a row and ends the one before. */
        Row next();
    }

    public interface Source<E extends Exception> {
        void writeTo(Rows rows) throws E;
    }

    public <E extends Exception> void section(String name, Source<E> source) throws E, IOException {
        MessageDigest digest = sha256();
        zip.putNextEntry(new ZipEntry(name + ".jsonl"));
        Lines lines = new Lines(new DigestOutputStream(new Unclosed(zip), digest));
        source.writeTo(lines);
        lines.end();
        zip.closeEntry();
        sections.add(new Manifest.Section(name, lines.rows, HexFormat.of().formatHex(digest.digest())));
    }

    /** Writes the manifest, which completes the archive. */
    Manifest finish() throws IOException {
        Manifest manifest = new Manifest(Manifest.VERSION, cairn, at, sections);
        zip.putNextEntry(new ZipEntry(Manifest.ENTRY));
        zip.write(manifest.toJson());
        zip.closeEntry();
        zip.finish();
        return manifest;
    }

    @Override
    public void close() throws IOException {
        zip.close();
    }

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private static final class Lines implements Rows, Row {

        private final OutputStream out;
        private final JsonGenerator json;
        private long rows;

        Lines(OutputStream out) {
            this.out = out;
            this.json = JSON.createGenerator(ObjectWriteContext.empty(), out);
        }

        @Override
        public Row next() {
            endRow();
            rows++;
            json.writeStartObject();
            return this;
        }

        @Override
        public void put(String name, @Nullable Object value) {
            if (value instanceof String text) {
                json.writeStringProperty(name, text);
            } else if (value instanceof Long number) {
                json.writeNumberProperty(name, number);
            } else if (value instanceof Boolean is) {
                json.writeBooleanProperty(name, is);
            } else if (value != null) {
                throw new IllegalArgumentException(name + ": " + value.getClass() + " (expected: text, number, flag)");
            }
        }

        private void endRow() {
            if (rows > 0) {
                json.writeEndObject();
                json.flush();
                try {
                    out.write('\n');
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        }

        void end() {
            endRow();
            json.close();
        }
    }

    /** The generator closes its stream, but the archive must stay open. */
    private static final class Unclosed extends FilterOutputStream {

        Unclosed(OutputStream out) {
            super(out);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            out.write(bytes, offset, length);
        }

        @Override
        public void flush() {
            // A zip stream that is flushed for each row compresses badly.
        }

        @Override
        public void close() {
            // See above.
        }
    }
}
