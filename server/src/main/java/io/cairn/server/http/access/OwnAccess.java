package io.cairn.server.http.access;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.auth.Accounts;
import io.cairn.server.auth.Principal;
import io.cairn.server.http.HttpCall;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** Says what somebody may do, so that nobody must find out by trying. */
public final class OwnAccess {

    private final Accounts accounts;

    public OwnAccess(Accounts accounts) {
        this.accounts = accounts;
    }

    /** The caller's rights, or those of the user in {@code username}, for those who may do everything. */
    public Map<String, Object> show(HttpCall call) {
        String username = call.parameter("username");
        Principal caller = call.caller().principal();
        Principal shown = username == null || username.isBlank() || username.equals(caller.name())
                ? caller
                : accounts.principal(username);
        if (shown == null) {
            throw new CairnException(ErrorCode.NOT_FOUND, "user " + username + " not exist!");
        }
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("username", shown.name());
        answer.put("kind", shown.kind().name().toLowerCase(Locale.ROOT));
        answer.put("globalAdmin", shown.isAdmin());
        answer.put("mustChangePassword", accounts.mustChangePassword(shown.name()));
        answer.put(
                "permissions",
                shown.permissions().stream()
                        .map(permission ->
                                Map.of("resource", permission.resource().toString(), "action", permission.action()))
                        .distinct()
                        .toList());
        return answer;
    }
}
