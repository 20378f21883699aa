package io.cairn.server.auth;

import io.cairn.api.config.Namespace;
import io.cairn.server.attention.Finding;
import io.cairn.server.attention.FindingSource;
import io.cairn.server.auth.AccountRows.PermissionRow;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds permissions without effect. Nacos reads a resource as a regular expression, so a migrated database may have expressions
 * without a match here.
 */
public final class PermissionFindings implements FindingSource {

    /** Permissions in a finding; others are counted. */
    private static final int EXAMPLES = 5;

    private final AccessPolicy policy;
    private final Accounts accounts;

    public PermissionFindings(AccessPolicy policy, Accounts accounts) {
        this.policy = policy;
        this.accounts = accounts;
    }

    @Override
    public List<Finding> findings(Namespace namespace) {
        if (!policy.isEnabled()) {
            return List.of();
        }
        Ineffective found = ineffective(accounts.rows().permissions());
        return found == null
                ? List.of()
                : List.of(new Finding(
                        Finding.Kind.PERMISSIONS_WITHOUT_EFFECT,
                        false,
                        "permissions",
                        "",
                        found.text(),
                        found.rows(),
                        0));
    }

    /** @param text some of them with the reasons, in one line */
    public record Ineffective(int rows, String text) {}

    /** Null if all rows have an effect. */
    public static @Nullable Ineffective ineffective(List<PermissionRow> permissions) {
        List<String> texts = permissions.stream()
                .map(PermissionFindings::text)
                .filter(text -> !text.isEmpty())
                .toList();
        return texts.isEmpty() ? null : new Ineffective(texts.size(), Finding.some(texts, EXAMPLES));
    }

    private static String text(PermissionRow row) {
        String fault = Permission.of(row.resource(), row.action()).fault();
        return fault == null ? "" : "role " + row.role() + ": '" + row.resource() + "' " + row.action() + ": " + fault;
    }
}
