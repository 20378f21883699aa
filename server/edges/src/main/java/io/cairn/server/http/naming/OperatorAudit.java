package io.cairn.server.http.naming;

import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.core.JsonFields;
import io.cairn.server.http.route.HttpAudit;
import io.cairn.server.http.route.HttpAudit.Done;
import org.jspecify.annotations.Nullable;

/** What operators do that is not stored: clients that are sent away, health by hand, levels of logs, switches of one run. */
public final class OperatorAudit {

    private OperatorAudit() {}

    public static void addTo(HttpAudit audit) {
        audit.put(
                OperatorAudit::logLevel,
                "PUT /v1/cs/ops/log",
                "PUT /v1/ns/operator/log",
                "PUT /v1/ns/ops/log",
                "PUT /v3/admin/cs/ops/log",
                "PUT /v3/admin/ns/ops/log");
        audit.put(
                OperatorAudit::passingSwitch,
                "PUT /v1/ns/operator/switches",
                "PUT /v1/ns/ops/switches",
                "PUT /v2/ns/operator/switches",
                "PUT /v2/ns/ops/switches",
                "PUT /v3/admin/ns/ops/switches");
        audit.put(
                OperatorAudit::health,
                "PUT /v1/ns/health",
                "PUT /v1/ns/health/instance",
                "PATCH /v1/ns/instance",
                "PUT /v2/ns/health",
                "PUT /v2/ns/health/instance",
                "PUT /v3/admin/ns/health/instance");
        // A client registers itself at /v3/client or over gRPC; who comes here is somebody else.
        audit.put(request -> ephemeral(request, "instance.register"), "POST /v3/admin/ns/instance");
        audit.put(request -> ephemeral(request, "instance.deregister"), "DELETE /v3/admin/ns/instance");
    }

    private static Done logLevel(HttpRequest request) {
        String name = JsonFields.text(request, "logName");
        return new Done("log.level", name == null ? "" : name, JsonFields.text(request, "logLevel"));
    }

    /** Those that outlive the server are recorded where they are stored. */
    private static @Nullable Done passingSwitch(HttpRequest request) {
        return NamingParameters.flag(request, "debug", false)
                ? new Done(
                        "switch.set",
                        NamingParameters.required(request, "entry"),
                        request.parameter("value") + " (until the next start)")
                : null;
    }

    private static @Nullable Done health(HttpRequest request) {
        String healthy = request.parameter("healthy");
        return healthy == null || healthy.isBlank() ? null : done(request, "instance.health", " healthy=" + healthy);
    }

    /** Persistent instances are recorded where they are stored. */
    private static @Nullable Done ephemeral(HttpRequest request, String action) {
        return "false".equalsIgnoreCase(request.parameter("ephemeral")) ? null : done(request, action, " ephemeral");
    }

    private static Done done(HttpRequest request, String action, String more) {
        ServiceKey service = NamingParameters.service(request);
        InstanceKey instance = NamingParameters.instanceKey(request);
        return new Done(
                action,
                service.namespace().id() + ':' + service.group() + ":naming/" + service.name(),
                instance.ip() + ':' + instance.port() + '#' + instance.cluster() + more);
    }
}
