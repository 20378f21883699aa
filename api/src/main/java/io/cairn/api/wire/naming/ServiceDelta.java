package io.cairn.api.wire.naming;

import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.wire.JsonInput;
import io.cairn.api.wire.JsonOutput;
import io.cairn.api.wire.MalformedMessageException;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The changes of a service's list. It contains states at {@link #revision}, so it applies to any list from {@link #since} on. See ADR 53.
 *
 * @param changed added or modified instances with an address
 * @param generatedAt in ms since 1970
 */
public record ServiceDelta(
        @Nullable String name,
        @Nullable String group,
        long since,
        long revision,
        List<Instance> changed,
        List<InstanceKey> removed,
        long generatedAt) {

    public static final String FIELD = "serviceDelta";

    public ServiceDelta {
        changed = List.copyOf(changed);
        removed = List.copyOf(removed);
    }

    public static ServiceDelta read(JsonInput in) {
        String name = null;
        String group = null;
        long since = 0;
        long revision = 0;
        List<Instance> changed = List.of();
        List<InstanceKey> removed = List.of();
        long generatedAt = 0;
        for (String field = in.nextField(); field != null; field = in.nextField()) {
            switch (field) {
                case "name" -> name = in.text();
                case "groupName" -> group = in.text();
                case "since" -> since = (long) in.decimal(0);
                case "revision" -> revision = (long) in.decimal(0);
                case "changed" -> changed = ServiceInfo.instances(in.objects(InstanceFields::read));
                case "removed" -> removed = in.objects(ServiceDelta::key);
                case "lastRefTime" -> generatedAt = (long) in.decimal(0);
                default -> in.skip();
            }
        }
        return new ServiceDelta(name, group, since, revision, changed, removed, generatedAt);
    }

    private static InstanceKey key(JsonInput in) {
        InstanceFields fields = InstanceFields.read(in);
        try {
            return new InstanceKey(
                    Objects.requireNonNullElse(fields.ip(), ""),
                    fields.port(),
                    Objects.requireNonNullElse(fields.clusterName(), ""));
        } catch (IllegalArgumentException e) {
            throw new MalformedMessageException("an instance that was removed has no address: " + e.getMessage(), e);
        }
    }

    /** @param changed the instances as JSON */
    public static void write(
            JsonOutput out,
            ServiceName service,
            long since,
            long revision,
            byte[][] changed,
            List<InstanceKey> removed,
            long generatedAt) {
        out.text("name", service.serviceName())
                .text("groupName", service.groupName())
                .number("since", since)
                .number("revision", revision)
                .array("changed", changed, List.of())
                .objects("removed", removed, (key, each) -> each.text("ip", key.ip())
                        .number("port", key.port())
                        .text("clusterName", key.cluster()))
                .number("lastRefTime", generatedAt);
    }
}
