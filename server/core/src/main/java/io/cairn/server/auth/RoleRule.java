package io.cairn.server.auth;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Gives a role to the callers whose token has a value of a claim. Written as {@code claim=value -> role}; {@code *} in the value
 * stands for any characters.
 *
 * @param claim a name, or names with dots between them for a claim inside a claim
 */
public record RoleRule(String claim, String value, String role) {

    /** A longer value of a claim matches no rule. */
    private static final int MAX_VALUE = 1024;

    private static final int ID_BYTES = 6;
    private static final String ARROW = "->";
    private static final String FORM =
            " (expected: claim=value -> role, such as groups=platform -> ROLE_ADMIN; * in the value stands for any characters)";
    /** Claims that all tokens of an issuer may share. */
    private static final Set<String> OF_EVERY_TOKEN = Set.of("iss", "aud", "exp", "iat", "nbf", "typ");

    /** Of a stored rule; two rules fit into a record of the audit. */
    private static final int MAX_STORED_CLAIM = 100;

    private static final int MAX_STORED_VALUE = 250;
    private static final int MAX_STORED_ROLE = 50;
    private static final Pattern CONTROL = Pattern.compile("\\p{Cntrl}");

    /**
     * A rule that an administrator stores.
     *
     * @throws CairnException {@code INVALID_PARAMETER} with the part that is refused, and its limit
     */
    public static RoleRule toStore(String claim, String value, String role) {
        checkPart("claim", claim, MAX_STORED_CLAIM);
        checkPart("value", value, MAX_STORED_VALUE);
        checkPart("role", role, MAX_STORED_ROLE);
        if (claim.indexOf('=') >= 0) {
            throw refused("claim: '" + claim + "' (expected: a name without '=')");
        }
        if (role.contains(ARROW)) {
            throw refused("role: '" + role + "' (expected: a name without '" + ARROW + "')");
        }
        try {
            return parse(new RoleRule(claim, value, role).toString());
        } catch (IllegalArgumentException e) {
            throw refused("rule: " + e.getMessage());
        }
    }

    private static void checkPart(String name, String text, int limit) {
        if (text.isBlank()
                || text.length() > limit
                || !text.equals(text.strip())
                || CONTROL.matcher(text).find()) {
            throw refused(name + ": '" + text + "' (expected: 1-" + limit
                    + " characters, no control character and no space around them)");
        }
    }

    private static CairnException refused(String text) {
        return new CairnException(ErrorCode.INVALID_PARAMETER, text);
    }

    /** @throws IllegalArgumentException for a rule without a condition, or one that makes every caller an administrator */
    public static RoleRule parse(String text) {
        int arrow = text.lastIndexOf(ARROW);
        int equals = text.indexOf('=');
        if (arrow < 0 || equals < 0 || equals > arrow) {
            throw new IllegalArgumentException("'" + text + "' has no condition or no role" + FORM);
        }
        String claim = text.substring(0, equals).trim();
        String value = text.substring(equals + 1, arrow).trim();
        String role = text.substring(arrow + ARROW.length()).trim();
        if (claim.isEmpty() || role.isEmpty() || value.chars().allMatch(c -> c == '*')) {
            throw new IllegalArgumentException("'" + text + "' has no condition or no role" + FORM);
        }
        if (role.equals(Accounts.ADMIN_ROLE) && OF_EVERY_TOKEN.contains(claim)) {
            throw new IllegalArgumentException("'" + text + "' makes every caller of the issuer an administrator"
                    + " (expected: a claim that only administrators have)");
        }
        return new RoleRule(claim, value, role);
    }

    /** Whether its callers are administrators. */
    public boolean isAdmin() {
        return role.equals(Accounts.ADMIN_ROLE);
    }

    /** For the audit, with the text of a former rule. */
    @Nullable
    String effect(String before) {
        if (!isAdmin()) {
            return before.isEmpty() ? null : before;
        }
        return "makes administrators" + (before.isEmpty() ? "" : "; " + before);
    }

    public boolean matches(Claims claims) {
        return claims.values(claim).stream()
                .anyMatch(present -> present.length() <= MAX_VALUE && ResourcePattern.matches(value, present));
    }

    /** A short text that changes with the rule, for tokens. */
    public String id() {
        try {
            byte[] digest =
                    MessageDigest.getInstance("SHA-256").digest(toString().getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest, 0, ID_BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java runtime has SHA-256", e);
        }
    }

    /** As it is written. */
    @Override
    public String toString() {
        return claim + '=' + value + ' ' + ARROW + ' ' + role;
    }
}
