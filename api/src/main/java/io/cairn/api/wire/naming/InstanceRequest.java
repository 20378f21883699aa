package io.cairn.api.wire.naming;

import io.cairn.api.wire.JsonInput;
import io.cairn.api.wire.JsonOutput;
import org.jspecify.annotations.Nullable;

/** Registers or deregisters one instance, ephemeral or persistent. */
public record InstanceRequest(
        ServiceName service,
        @Nullable String type,
        @Nullable InstanceFields instance) {

    public static final String REGISTER = "registerInstance";
    public static final String DEREGISTER = "deregisterInstance";

    public static InstanceRequest read(JsonInput in) {
        ServiceFields service = new ServiceFields();
        String type = null;
        InstanceFields instance = null;
        for (String field = in.nextField(); field != null; field = in.nextField()) {
            if (service.read(field, in)) {
                continue;
            }
            switch (field) {
                case "type" -> type = in.text();
                case "instance" -> instance = in.object(InstanceFields::read);
                default -> in.skip();
            }
        }
        return new InstanceRequest(service.toName(), type, instance);
    }

    public byte[] toJson() {
        JsonOutput out = service.fields(384).text("type", type);
        if (instance != null) {
            out.json("instance", instance.toJson());
        }
        return out.text("module", "naming").toBytes();
    }
}
