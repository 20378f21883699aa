package io.cairn.server.subscription.udp;

import io.cairn.api.wire.JsonOutput;
import io.cairn.server.naming.view.ServiceView;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A service as one datagram, encoded once.
 *
 * @param id for acknowledgements
 * @param bytes null beyond the size of a datagram
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared
record Datagram(long id, byte @Nullable [] bytes) {

    private static final Logger log = LoggerFactory.getLogger(Datagram.class);
    /** UDP's limit, with a reserve. */
    private static final int MAX_BYTES = 65_000;
    /** Clients expect larger ones compressed. */
    private static final int COMPRESSED_FROM_BYTES = 1024;
    /** Compression of more would block an event loop for too long, and would hardly ever fit. */
    private static final int MAX_PLAIN_BYTES = 1024 * 1024;

    static Datagram of(ServiceView view, long id) {
        byte[] bytes = null;
        if (view.encodedBytes() <= MAX_PLAIN_BYTES) {
            byte[] json = json(view, id);
            bytes = json.length < COMPRESSED_FROM_BYTES ? json : compressed(json);
        }
        if (bytes == null || bytes.length > MAX_BYTES) {
            log.debug(
                    "{} with {} instances does not fit into a datagram; its UDP subscribers must query it",
                    view.service(),
                    view.hosts().size());
            return new Datagram(id, null);
        }
        return new Datagram(id, bytes);
    }

    private static byte[] json(ServiceView view, long id) {
        byte[] info = view.info(view.groupedName());
        return new JsonOutput(info.length * 5 / 4 + 64)
                .text("type", "dom")
                .utf8("data", info)
                .number("lastRefTime", id)
                .toBytes();
    }

    private static byte[] compressed(byte[] json) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(json.length / 4);
        try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
            gzip.write(json);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }
}
