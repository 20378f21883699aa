package io.cairn.server.http.naming;

import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.wire.JsonInput;
import io.cairn.server.naming.NamingCheck;
import java.util.Map;
import org.jspecify.annotations.Nullable;

public record BeatForm(
        @Nullable String ip,
        int port,
        @Nullable String cluster,
        double weight,
        boolean ephemeral,
        Map<String, String> metadata) {

    static BeatForm read(JsonInput in) {
        String ip = null;
        int port = 0;
        String cluster = null;
        double weight = 1.0;
        boolean ephemeral = true;
        Map<String, String> metadata = null;
        for (String name = in.nextField(); name != null; name = in.nextField()) {
            switch (name) {
                case "ip" -> ip = in.text();
                case "port" -> port = in.number(0);
                case "cluster" -> cluster = in.text();
                case "weight" -> weight = in.decimal(1.0);
                case "ephemeral" -> ephemeral = in.flag(true);
                case "metadata" -> metadata = in.texts();
                default -> in.skip();
            }
        }
        return new BeatForm(ip, port, cluster, weight, ephemeral, metadata == null ? Map.of() : metadata);
    }

    /** The instance under the found key, checked as for a registration. */
    Instance instance(InstanceKey key) {
        NamingCheck.weightOfSdk(weight);
        Instance instance = new Instance(key, weight, true, true, ephemeral, metadata, null);
        NamingCheck.registration(instance);
        return instance;
    }
}
