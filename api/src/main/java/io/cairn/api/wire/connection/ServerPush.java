package io.cairn.api.wire.connection;

import io.cairn.api.wire.JsonInput;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A push about the connection.
 *
 * @param requestId null when the server expects no reply
 * @param abilities in the response to a setup
 * @param serverIp where to connect; null or empty for any server
 * @param serverPort for HTTP
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
