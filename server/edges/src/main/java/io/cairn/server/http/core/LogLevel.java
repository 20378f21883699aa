package io.cairn.server.http.core;

import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.route.Form;
import io.cairn.server.http.route.HttpAudit;
import io.cairn.server.http.route.Parameter;

public record LogLevel(String log, String level) {

    public static final Parameter<String> NAME = Parameter.text("logName", "The log");
    public static final Parameter<String> LEVEL = Parameter.text("logLevel", "The level, such as INFO or DEBUG");

    /** A JSON body, or parameters. */
    public static final Form<LogLevel> FORM = Form.of(NAME, LEVEL)
            .as(request -> new LogLevel(JsonFields.required(request, NAME), JsonFields.required(request, LEVEL)))
            .with(Form.Body.JSON);

    public static HttpAudit.Done recorded(HttpRequest request) {
        String name = JsonFields.text(request, NAME);
        return new HttpAudit.Done("log.level", name == null ? "" : name, JsonFields.text(request, LEVEL));
    }
}
