package io.cairn.server.auth;

import io.cairn.api.config.Namespace;
import io.cairn.server.attention.Finding;
import io.cairn.server.attention.FindingSource;
import java.util.ArrayList;
import java.util.List;

/** Finds administrators with a known or readable password, and users without a password. */
public final class PasswordFindings implements FindingSource {

    /** Names in a finding; others are counted. */
    private static final int EXAMPLES = 5;

    private final AccessPolicy policy;
    private final Accounts accounts;
    private final boolean hasDirectory;

    /** @param hasDirectory whether users of a directory can log in */
    public PasswordFindings(AccessPolicy policy, Accounts accounts, boolean hasDirectory) {
        this.policy = policy;
        this.accounts = accounts;
        this.hasDirectory = hasDirectory;
    }

    @Override
    public List<Finding> findings(Namespace namespace) {
        if (!policy.isEnabled()) {
            return List.of();
        }
        List<Finding> unchanged = new ArrayList<>();
        List<String> ofDirectory = new ArrayList<>();
        for (AccountRows.User user : accounts.rows().users()) {
            if (LdapUsers.isOne(user.name())) {
                ofDirectory.add(user.name());
                continue;
            }
            Principal principal = accounts.principal(user.name());
            if (user.mustChange() && principal != null && principal.isAdmin()) {
                unchanged.add(Finding.of(Finding.Kind.PASSWORD_UNCHANGED, false, user.name(), ""));
            }
        }
        if (!ofDirectory.isEmpty() && !hasDirectory) {
            unchanged.add(new Finding(
                    Finding.Kind.LDAP_USERS,
                    false,
                    "users",
                    "",
                    Finding.some(ofDirectory, EXAMPLES),
                    ofDirectory.size(),
                    0));
        }
        return unchanged;
    }
}
