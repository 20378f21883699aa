package io.cairn.api.wire.connection;

import io.cairn.api.wire.JsonInput;
import io.cairn.api.wire.JsonOutput;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Introduces a client; the first message on its stream.
 *
 * @param labels of the client: {@code source}, {@code module}, {@code AppName}…
 * @param negotiatesAbilities whether the client sent an ability table and waits for the server's
 */
public record ConnectionSetupRequest(
        @Nullable String clientVersion,
        @Nullable String tenant,
        Map<String, String> labels,
        boolean negotiatesAbilities) {

    public ConnectionSetupRequest {
        labels = Map.copyOf(labels);
    }

    public static ConnectionSetupRequest read(JsonInput in) {
        String clientVersion = null;
        String tenant = null;
        Map<String, String> labels = null;
        boolean negotiates = false;
        for (String field = in.nextField(); field != null; field = in.nextField()) {
            switch (field) {
                case "clientVersion" -> clientVersion = in.text();
                case "tenant" -> tenant = in.text();
                case "labels" -> labels = in.texts();
                case "abilityTable" -> negotiates = in.texts() != null;
                default -> in.skip();
            }
        }
        return new ConnectionSetupRequest(clientVersion, tenant, labels == null ? Map.of() : labels, negotiates);
    }

    /** @param abilities of the client; omitted without negotiation */
    public byte[] toJson(Map<String, Boolean> abilities) {
        JsonOutput out = new JsonOutput(256)
                .text("clientVersion", clientVersion)
                .text("tenant", tenant)
                .texts("labels", labels);
        if (negotiatesAbilities) {
            out.flags("abilityTable", abilities);
        }
        return out.text("module", "internal").toBytes();
    }
}
