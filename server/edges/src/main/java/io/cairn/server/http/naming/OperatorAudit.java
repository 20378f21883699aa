package io.cairn.server.http.naming;

import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.core.JsonFields;
import io.cairn.server.http.route.HttpAudit;
import io.cairn.server.http.route.HttpAudit.Done;

/** The audit of what operators do that is not stored: connections that are moved away, and levels of logs. */
public final class OperatorAudit {

    private OperatorAudit() {}

    public static void addTo(HttpAudit audit) {
        audit.put(
                OperatorAudit::reload,
                "GET /v2/core/loader/reloadCurrent",
                "GET /v2/core/loader/reloadClient",
                "POST /v3/admin/core/loader/reloadCurrent",
                "POST /v3/admin/core/loader/reloadClient");
        audit.put(
                OperatorAudit::logLevel,
                "PUT /v1/core/ops/log",
                "PUT /v1/cs/ops/log",
                "PUT /v2/core/ops/log",
                "PUT /v3/admin/core/ops/log",
                "PUT /v3/admin/cs/ops/log");
    }

    /** Connections that a request sent to another node or closed. */
    public static Done reload(HttpRequest request) {
        String connection = request.parameter("connectionId");
        String redirect = request.parameter("redirectAddress");
        String keep = connection == null ? "keep " + request.parameter("count") : "";
        return new Done(
                "connection.reload",
                connection == null ? "*" : connection,
                (keep + (redirect == null || redirect.isBlank() ? "" : " to " + redirect)).strip());
    }

    /** The level of a log that a request set. */
    public static Done logLevel(HttpRequest request) {
        String name = JsonFields.text(request, "logName");
        return new Done("log.level", name == null ? "" : name, JsonFields.text(request, "logLevel"));
    }
}
