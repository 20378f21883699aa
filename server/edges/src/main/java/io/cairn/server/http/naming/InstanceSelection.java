package io.cairn.server.http.naming;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.wire.JsonInput;
import io.cairn.api.wire.MalformedMessageException;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.route.Parameter;
import io.cairn.server.naming.NamingCheck;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A selection of instances.
 *
 * @param kind true for ephemeral, false for persistent, null for both
 * @param keys empty for all
 */
public record InstanceSelection(@Nullable Boolean kind, Set<InstanceKey> keys) {

    private static final Parameter<String> INSTANCES = Parameter.text(
                    "instances",
                    "The instances, as a JSON array of objects with ip, port and clusterName; all when absent")
            .orNone();
    private static final Parameter<String> KIND = Parameter.text(
                    "consistencyType", "The kind of instances: ephemeral or persist; both when absent")
            .orNone();

    /** The parameters that {@link #read} takes. */
    static final List<Parameter<?>> PARAMETERS = List.of(INSTANCES, KIND);

    /** Reads a selection from a request. */
    public static InstanceSelection read(HttpRequest request) {
        String type = KIND.orNull(request);
        String instances = INSTANCES.orNull(request);
        Boolean kind = "ephemeral".equals(type) ? Boolean.TRUE : "persist".equals(type) ? Boolean.FALSE : null;
        if (instances == null) {
            return new InstanceSelection(kind, Set.of());
        }
        try {
            Set<InstanceKey> keys = new HashSet<>();
            JsonInput.read("{\"instances\":" + instances + "}", in -> {
                in.nextField();
                keys.addAll(in.objects(InstanceSelection::key));
                return in.nextField() == null;
            });
            return new InstanceSelection(kind, keys);
        } catch (MalformedMessageException | IllegalArgumentException e) {
            throw new CairnException(ErrorCode.INVALID_PARAMETER, "instances: " + e.getMessage(), e);
        }
    }

    private static InstanceKey key(JsonInput in) {
        String ip = "";
        int port = 0;
        String cluster = "";
        for (String name = in.nextField(); name != null; name = in.nextField()) {
            switch (name) {
                case "ip" -> ip = or(in.text(), "");
                case "port" -> port = NamingCheck.port(or(in.text(), "0"));
                case "clusterName" -> cluster = or(in.text(), "");
                default -> in.skip();
            }
        }
        NamingCheck.ip(ip);
        NamingCheck.clusters(cluster);
        return new InstanceKey(ip, port, cluster);
    }

    private static String or(@Nullable String text, String otherwise) {
        return text == null ? otherwise : text;
    }

    boolean takes(Instance instance) {
        return (kind == null || kind == instance.ephemeral()) && (keys.isEmpty() || keys.contains(instance.key()));
    }
}
