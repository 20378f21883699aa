package io.cairn.server.http.v1;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.error.ParameterException;
import io.cairn.server.config.Author;
import io.cairn.server.config.ConfigDraft;
import io.cairn.server.config.ParameterCheck;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.config.ConfigForm;
import io.cairn.server.http.naming.NamingParameters;
import io.cairn.server.http.route.Endpoints;
import io.cairn.server.http.route.Form;
import org.jspecify.annotations.Nullable;

/**
 * The names that version 1 has for what a request says of a configuration, and the order in which it looks at them: first all
 * that is required, then the characters of the names, then names that are blank.
 */
final class V1Forms {

    /** The names of a configuration. */
    static final Form<ConfigKey> NAMES = Form.of("dataId! group! tenant", V1Forms::key);

    private V1Forms() {}

    /**
     * Reads the names of a configuration. The characters of names that are not blank are for {@link #checked} to refuse, after
     * the right was checked.
     *
     * @param others parameters that must be there as well; refused here only if the names cannot be read, and before that
     */
    static ConfigKey key(HttpRequest request, String... others) {
        mustHave(request, "dataId", "group");
        String dataId = request.parameter("dataId");
        String group = request.parameter("group");
        if (isBlank(dataId) || isBlank(group)) {
            mustHave(request, others);
            checkNames(request);
        }
        return ConfigDraft.key(dataId, group, request.parameter("tenant"));
    }

    private static ConfigKey key(HttpRequest request) {
        return key(request, new String[0]);
    }

    /** @throws ParameterException naming the first of these parameters that is absent */
    static void mustHave(HttpRequest request, String... parameters) {
        for (String parameter : parameters) {
            if (request.parameter(parameter) == null) {
                throw ParameterException.missing(parameter);
            }
        }
    }

    /** The action for requests whose names have legal characters; other requests are refused. */
    static Endpoints.Action<ConfigKey> checked(Endpoints.Action<ConfigKey> action) {
        return (key, http) -> {
            checkNames(http);
            return action.handle(key, http);
        };
    }

    /** @throws ParameterException for a name with illegal characters; a blank one is refused otherwise */
    static void checkNames(HttpRequest request) {
        ParameterCheck.config(
                NamingParameters.text(request, "dataId"),
                NamingParameters.text(request, "group"),
                request.parameter("tenant"));
    }

    private static boolean isBlank(@Nullable String text) {
        return text == null || text.isBlank();
    }

    /** The author of a change, with the user in {@code src_user}. Not before the right was checked. */
    static Author by(HttpRequest request) {
        return ConfigForm.by(request, NamingParameters.text(request, "src_user"));
    }

    /** The namespace as the client spells it. */
    static String spelledTenant(HttpRequest request) {
        String tenant = request.parameter("tenant");
        return tenant == null || tenant.isBlank() ? "" : tenant;
    }
}
