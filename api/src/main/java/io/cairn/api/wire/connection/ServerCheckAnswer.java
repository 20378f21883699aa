package io.cairn.api.wire.connection;

import io.cairn.api.wire.AnswerFields;
import io.cairn.api.wire.JsonInput;
import org.jspecify.annotations.Nullable;

/**
 * The first response of a server.
 *
 * @param connectionId the server's name for this connection
 * @param negotiatesAbilities whether a setup is answered with the ability table
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
