package io.cairn.api.wire.config;

import io.cairn.api.wire.AnswerFields;
import io.cairn.api.wire.JsonInput;
import org.jspecify.annotations.Nullable;

/**
 * The response to a query.
 *
 * @param content null when absent
 * @param type the wire name of the format
 * @param md5 computed by the server
 */
public record ConfigQueryAnswer(
        AnswerFields answer,
        @Nullable String content,
        @Nullable String type,
        @Nullable String md5) {

    public static ConfigQueryAnswer read(JsonInput in) {
        AnswerFields answer = new AnswerFields();
        String content = null;
        String type = null;
        String md5 = null;
        for (String field = in.nextField(); field != null; field = in.nextField()) {
            if (answer.read(field, in)) {
                continue;
            }
            switch (field) {
                case "content" -> content = in.text();
                case "contentType" -> type = in.text();
                case "md5" -> md5 = in.text();
                default -> in.skip();
            }
        }
        return new ConfigQueryAnswer(answer, content, type, md5);
    }
}
