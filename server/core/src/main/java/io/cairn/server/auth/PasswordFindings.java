package io.cairn.server.auth;

import io.cairn.api.config.Namespace;
import io.cairn.server.attention.Finding;
import io.cairn.server.attention.FindingSource;
import java.util.ArrayList;
import java.util.List;

/** Finds administrators whose password others have read, or could have. */
public final class PasswordFindings implements FindingSource {

    private final AccessPolicy policy;
    private final Accounts accounts;

    public PasswordFindings(AccessPolicy policy, Accounts accounts) {
        this.policy = policy;
        this.accounts = accounts;
    }

    @Override
    public List<Finding> findings(Namespace namespace) {
        if (!policy.isEnabled()) {
            return List.of();
        }
        List<Finding> unchanged = new ArrayList<>();
        for (AccountRows.User user : accounts.rows().users()) {
            Principal principal = accounts.principal(user.name());
            if (user.mustChange() && principal != null && principal.isAdmin()) {
                unchanged.add(Finding.of(Finding.Kind.PASSWORD_UNCHANGED, false, user.name(), ""));
            }
        }
        return unchanged;
    }
}
