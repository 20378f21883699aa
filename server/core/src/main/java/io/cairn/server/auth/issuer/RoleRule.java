package io.cairn.server.auth.issuer;

import io.cairn.server.auth.Accounts;
import io.cairn.server.auth.ResourcePattern;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Set;

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
