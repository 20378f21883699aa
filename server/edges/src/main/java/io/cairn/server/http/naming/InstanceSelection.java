package io.cairn.server.http.naming;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.wire.JsonInput;
import io.cairn.api.wire.MalformedMessageException;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.naming.NamingCheck;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A selection of the instances of a service.
 *
 * @param kind true for ephemeral ones, false for persistent ones, null for both
 * @param keys these; all when empty
 */
public record InstanceSelection(@Nullable Boolean kind, Set<InstanceKey> keys) {

    /** Reads a selection from {@code consistencyType} and {@code instances}. */
    public static InstanceSelection read(HttpRequest request) {
        String type = NamingParameters.given(request, "consistencyType");
        String instances = NamingParameters.given(request, "instances");
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
