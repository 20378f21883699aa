package io.cairn.measure;

import io.cairn.api.wire.Payload;
import io.cairn.api.wire.WireMethods;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** Messages as they travel. */
final class Encoded {

    private Encoded() {}

    static byte[] bytes(String type, String json) {
        return bytes(Payload.of(type, json.getBytes(StandardCharsets.UTF_8)));
    }

    static byte[] bytes(Payload message) {
        try (InputStream in = WireMethods.REQUEST.streamRequest(message)) {
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
