package io.cairn.server.http.config;

import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.core.LogLevel;
import io.cairn.server.http.route.Form;
import io.cairn.server.http.route.Operation;
import io.cairn.server.http.route.Parameter;
import io.cairn.server.http.route.Right;

/** Operations on all configurations, for versions 1 and 3. */
public final class ConfigOperations {

    private static final String NO_SQL = "Refuses SQL: this server does not send it to the database";

    /** A query in SQL, which no version runs. */
    public static final Operation<HttpRequest> SQL = Operation.of(Parameter.ignored("sql", "string"))
            .needs(Right.<HttpRequest>admin())
            .answers("object")
            .says(NO_SQL);

    /** A SQL script, which no version runs. */
    public static final Operation<HttpRequest> SQL_SCRIPT = Operation.of(Form.NONE)
            .needs(Right.<HttpRequest>admin())
            .answers("object")
            .says(NO_SQL);

    private ConfigOperations() {}

    public static Operation<HttpRequest> localCache(Operation.Wrapping wrapping) {
        return Operation.of(Form.NONE)
                .needs(Right.<HttpRequest>admin())
                .answers("string")
                .as(wrapping)
                .says("Does nothing: the memory always matches the stored data");
    }

    public static Operation<HttpRequest> logLevel(Operation.Wrapping wrapping) {
        return Operation.of(LogLevel.NAME.required(), LogLevel.LEVEL.required())
                .needs(Right.<HttpRequest>admin())
                .answers("string")
                .as(wrapping)
                .recordedAs(LogLevel::recorded)
                .says("Sets the log level of the configuration logs");
    }
}
