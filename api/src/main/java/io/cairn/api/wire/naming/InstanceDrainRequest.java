package io.cairn.api.wire.naming;

import io.cairn.api.wire.JsonInput;
import io.cairn.api.wire.JsonOutput;
import org.jspecify.annotations.Nullable;

/**
 * Drains an instance. Servers of Nacos do not know it.
 *
 * @param waitMillis the time limit for acknowledgements
 * @param forMillis the end of the drain
 */
public record InstanceDrainRequest(
        ServiceName service, @Nullable InstanceFields instance, long waitMillis, long forMillis, boolean force) {

    public static InstanceDrainRequest read(JsonInput in) {
        ServiceFields service = new ServiceFields();
        InstanceFields instance = null;
        long waitMillis = 0;
        long forMillis = 0;
        boolean force = false;
        for (String field = in.nextField(); field != null; field = in.nextField()) {
            if (service.read(field, in)) {
                continue;
            }
            switch (field) {
                case "instance" -> instance = in.object(InstanceFields::read);
                case "waitMillis" -> waitMillis = (long) in.decimal(0);
                case "forMillis" -> forMillis = (long) in.decimal(0);
                case "force" -> force = in.flag(false);
                default -> in.skip();
            }
        }
        return new InstanceDrainRequest(service.toName(), instance, waitMillis, forMillis, force);
    }

    public byte[] toJson() {
        JsonOutput out = service.fields(384);
        if (instance != null) {
            out.json("instance", instance.toJson());
        }
        return out.number("waitMillis", waitMillis)
                .number("forMillis", forMillis)
                .flag("force", force)
                .text("module", "naming")
                .toBytes();
    }
}
