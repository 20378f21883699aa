package io.cairn.server.config.validation;

import java.io.StringReader;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.core.json.JsonFactory;

/** One JSON value (RFC 8259) and nothing after it. */
final class JsonCheck {

    private static final JsonFactory JSON = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(ContentValidator.MAX_DEPTH)
                    .maxStringLength(Integer.MAX_VALUE)
                    .maxNameLength(Integer.MAX_VALUE)
                    .build())
            .disable(JsonFactory.Feature.CANONICALIZE_PROPERTY_NAMES)
            .build();

    private JsonCheck() {}

    static Optional<Problem> check(String text) {
        try (JsonParser parser = JSON.createParser(ObjectReadContext.empty(), new StringReader(text))) {
            try {
                return read(parser);
            } catch (JacksonException e) {
                TokenStreamLocation location = e.getLocation();
                return problem(location == null ? parser.currentLocation() : location, e.getOriginalMessage());
            }
        }
    }

    private static Optional<Problem> read(JsonParser parser) {
        if (parser.nextToken() == null) {
            return problem(parser.currentLocation(), "there is no value");
        }
        int depth = 0;
        JsonToken token = parser.currentToken();
        while (true) {
            if (token.isStructStart()) {
                depth++;
            } else if (token.isStructEnd()) {
                depth--;
            } else if (token == JsonToken.VALUE_STRING) {
                parser.finishToken();
            }
            if (depth == 0) {
                break;
            }
            token = parser.nextToken();
            if (token == null) {
                return problem(parser.currentLocation(), "the text ends before the value does");
            }
        }
        return parser.nextToken() == null
                ? Optional.empty()
                : problem(parser.currentTokenLocation(), "there is something after the value");
    }

    static Optional<Problem> problem(TokenStreamLocation location, String message) {
        return Optional.of(new Problem(location.getLineNr(), location.getColumnNr(), message));
    }
}
