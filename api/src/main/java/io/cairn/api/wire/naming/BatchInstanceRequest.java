package io.cairn.api.wire.naming;

import io.cairn.api.wire.JsonInput;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Replaces all instances of a client for one service. */
public record BatchInstanceRequest(
        ServiceName service, @Nullable String type, List<InstanceFields> instances) {

    public static final String REGISTER = "batchRegisterInstance";

    public BatchInstanceRequest {
        instances = List.copyOf(instances);
    }

    public static BatchInstanceRequest read(JsonInput in) {
        ServiceFields service = new ServiceFields();
        String type = null;
        List<InstanceFields> instances = List.of();
        for (String field = in.nextField(); field != null; field = in.nextField()) {
            if (service.read(field, in)) {
                continue;
            }
            switch (field) {
                case "type" -> type = in.text();
                case "instances" -> instances = in.objects(InstanceFields::read);
                default -> in.skip();
            }
        }
        return new BatchInstanceRequest(service.toName(), type, instances);
    }

    public byte[] toJson() {
        return service.fields(128 + instances.size() * 256)
                .text("type", type)
                .objects("instances", instances, InstanceFields::write)
                .text("module", "naming")
                .toBytes();
    }
}
