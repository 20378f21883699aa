package io.cairn.server.support;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Reads the recorded wire samples, which are data of the tests. */
public final class Recorded {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private Recorded() {}

    /** The lines of a sample file, such as {@code grpc-2.5.1/config-get.jsonl}. */
    public static List<JsonNode> lines(String file) {
        try (InputStream in = Recorded.class.getResourceAsStream("/samples/" + file)) {
            if (in == null) {
                throw new IllegalArgumentException("no sample file " + file);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.isBlank())
                    .map(line -> (JsonNode) JSON.readTree(line))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
