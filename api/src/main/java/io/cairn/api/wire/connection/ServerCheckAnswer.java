package io.cairn.api.wire.connection;

import io.cairn.api.wire.AnswerFields;
import io.cairn.api.wire.JsonInput;
import org.jspecify.annotations.Nullable;

/**
 * The server's first words.
 *
 * @param connectionId the name that the server has given to this connection
 * @param negotiatesAbilities whether it answers a set-up with its table of abilities
 */
public record ServerCheckAnswer(
        AnswerFields answer, @Nullable String connectionId, boolean negotiatesAbilities) {

    public static ServerCheckAnswer read(JsonInput in) {
        AnswerFields answer = new AnswerFields();
        String connectionId = null;
        boolean negotiates = false;
        for (String field = in.nextField(); field != null; field = in.nextField()) {
            if (answer.read(field, in)) {
                continue;
            }
            switch (field) {
                case "connectionId" -> connectionId = in.text();
                case "supportAbilityNegotiation" -> negotiates = in.flag(false);
                default -> in.skip();
            }
        }
        return new ServerCheckAnswer(answer, connectionId, negotiates);
    }
}
