package io.cairn.server.http.core;

import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.route.Form;
import io.cairn.server.http.route.HttpAudit;

/** A request to set how much a log writes. */
public record LogLevel(String log, String level) {

    /** A JSON body, or parameters. */
    public static final Form<LogLevel> FORM = Form.of(
                    "logName logLevel",
                    request -> new LogLevel(
                            JsonFields.required(request, "logName"), JsonFields.required(request, "logLevel")))
            .with(Form.Body.JSON);

    /** The entry of the audit. */
    public static HttpAudit.Done recorded(HttpRequest request) {
        String name = JsonFields.text(request, "logName");
        return new HttpAudit.Done("log.level", name == null ? "" : name, JsonFields.text(request, "logLevel"));
    }
}
