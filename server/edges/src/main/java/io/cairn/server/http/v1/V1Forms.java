package io.cairn.server.http.v1;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.error.ParameterException;
import io.cairn.server.config.Author;
import io.cairn.server.config.ConfigDraft;
import io.cairn.server.config.ParameterCheck;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.config.ConfigForm;
import io.cairn.server.http.route.Endpoints;
import io.cairn.server.http.route.Form;
import io.cairn.server.http.route.Parameter;
import org.jspecify.annotations.Nullable;

/** Version 1's names of configuration parameters, and its order of checks: first presence, then characters, then blank names. */
final class V1Forms {

    static final Parameter<String> DATA_ID = ConfigForm.DATA_ID;
    static final Parameter<String> GROUP = ConfigForm.V2.group();
    static final Parameter<String> TENANT = Parameter.exact("tenant", "The namespace; public when absent");
    static final Parameter<String> SRC_USER = ConfigForm.SRC_USER.named("src_user");

    /** The names of version 1. */
    static final ConfigForm FORM = new ConfigForm(GROUP, TENANT);

    static final Form<ConfigKey> NAMES =
            Form.of(DATA_ID.required(), GROUP.required(), TENANT).as(V1Forms::key);

    private static final Parameter<?>[] NO_OTHERS = {};

    private V1Forms() {}

    /**
     * Reads the names. {@link #checked} refuses illegal characters, after the check of the right.
     *
     * @param others further required parameters; refused here only if the names are unreadable, and before those
     */
    static ConfigKey key(HttpRequest request, Parameter<?>... others) {
        mustHave(request, DATA_ID, GROUP);
        String dataId = DATA_ID.sent(request);
        String group = GROUP.sent(request);
        if (isBlank(dataId) || isBlank(group)) {
            mustHave(request, others);
            checkNames(request);
        }
        return ConfigDraft.key(dataId, group, TENANT.orNull(request));
    }

    private static ConfigKey key(HttpRequest request) {
        return key(request, NO_OTHERS);
    }

    /** @throws ParameterException naming the first of these parameters that is absent */
    static void mustHave(HttpRequest request, Parameter<?>... parameters) {
        for (Parameter<?> parameter : parameters) {
            if (!parameter.isIn(request)) {
                throw parameter.missing();
            }
        }
    }

    /** Refuses names with illegal characters before the action. */
    static Endpoints.Action<ConfigKey> checked(Endpoints.Action<ConfigKey> action) {
        return (key, http) -> {
            checkNames(http);
            return action.handle(key, http);
        };
    }

    /** @throws ParameterException for illegal characters; another check refuses blank names */
    static void checkNames(HttpRequest request) {
        ParameterCheck.config(DATA_ID.orNull(request), GROUP.orNull(request), TENANT.orNull(request));
    }

    private static boolean isBlank(@Nullable String text) {
        return text == null || text.isBlank();
    }

    /** The author, with the user in {@code src_user}. Call it after the check of the right. */
    static Author by(HttpRequest request) {
        return ConfigForm.by(request, SRC_USER.orNull(request));
    }

    /** The namespace in the client's form. */
    static String spelledTenant(HttpRequest request) {
        String tenant = TENANT.orNull(request);
        return tenant == null || tenant.isBlank() ? "" : tenant;
    }
}
