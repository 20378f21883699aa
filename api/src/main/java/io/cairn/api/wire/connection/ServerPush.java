package io.cairn.api.wire.connection;

import io.cairn.api.wire.JsonInput;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the pushes about a connection say; each kind uses some of the fields.
 *
 * @param requestId to be echoed in the reply; null when none is expected
 * @param abilities names of what the server can do, in its answer to a set-up
 * @param serverIp where a connection that is reset should go to; null or empty for anywhere
 * @param serverPort that server's main port
 */
public record ServerPush(
        @Nullable String requestId,
        Set<String> abilities,
        @Nullable String serverIp,
        @Nullable String serverPort) {

    public ServerPush {
        abilities = Set.copyOf(abilities);
    }

    public static ServerPush read(JsonInput in) {
        String requestId = null;
        Set<String> abilities = new HashSet<>();
        String serverIp = null;
        String serverPort = null;
        for (String field = in.nextField(); field != null; field = in.nextField()) {
            switch (field) {
                case "requestId" -> requestId = in.text();
                case "abilityTable" -> {
                    Map<String, String> table = in.texts();
                    if (table != null) {
                        table.forEach((name, offered) -> {
                            if (Boolean.parseBoolean(offered)) {
                                abilities.add(name);
                            }
                        });
                    }
                }
                case "serverIp" -> serverIp = in.text();
                case "serverPort" -> serverPort = in.text();
                default -> in.skip();
            }
        }
        return new ServerPush(requestId, abilities, serverIp, serverPort);
    }
}
