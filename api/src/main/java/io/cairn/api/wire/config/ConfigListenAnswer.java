package io.cairn.api.wire.config;

import io.cairn.api.wire.AnswerFields;
import io.cairn.api.wire.JsonInput;
import java.util.List;

/** The configurations whose content differs from the client's. */
public record ConfigListenAnswer(AnswerFields answer, List<ConfigQueryRequest> changed) {

    public ConfigListenAnswer {
        changed = List.copyOf(changed);
    }

    public static ConfigListenAnswer read(JsonInput in) {
        AnswerFields answer = new AnswerFields();
        List<ConfigQueryRequest> changed = List.of();
        for (String field = in.nextField(); field != null; field = in.nextField()) {
            if (answer.read(field, in)) {
                continue;
            }
            if (field.equals("changedConfigs")) {
                changed = in.objects(ConfigQueryRequest::read);
            } else {
                in.skip();
            }
        }
        return new ConfigListenAnswer(answer, changed);
    }
}
