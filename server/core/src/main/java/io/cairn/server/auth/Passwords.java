package io.cairn.server.auth;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Set;
import org.springframework.security.crypto.bcrypt.BCrypt;

/** Hashes and checks passwords in Nacos's format. Each takes nearly a tenth of a second: off event loops. */
public final class Passwords {

    private static final int MAX_BYTES = 72;
    private static final int GENERATED_LENGTH = 20;
    /** Without easily confused characters. */
    private static final String ALPHABET = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";
    /** Compared for an unknown name, so that the check takes equal time. */
    private static final String NOBODYS = "$2a$10$0f8BqO2rkTP9w4kGm0Jt1uhoxr0VJm3bY0l8yQm7bJ3vJq6m1o4yC";

    /** The hash shipped with Nacos up to 2.3, of the password {@code nacos}. */
    private static final String SHIPPED_HASH = "$2a$10$EuWPZHzz32dJN7jexM34MOeYirDdFAZm2kuWj7VEOJhhZkDrxfvUu";

    private static final Set<String> SHIPPED = Set.of("nacos");

    private Passwords() {}

    /** @throws CairnException {@code INVALID_PARAMETER} when empty or beyond bcrypt's length */
    public static void check(String password) {
        int bytes = password.getBytes(StandardCharsets.UTF_8).length;
        if (password.isBlank() || bytes > MAX_BYTES) {
            throw new CairnException(
                    ErrorCode.INVALID_PARAMETER, "password: " + bytes + " bytes (expected: 1-" + MAX_BYTES + ")");
        }
    }

    /** @throws CairnException {@code INVALID_PARAMETER} for a publicly known password */
    public static void refuseKnown(String password) {
        if (SHIPPED.contains(password)) {
            throw new CairnException(
                    ErrorCode.INVALID_PARAMETER, "password: the one that Nacos was shipped with (expected: another)");
        }
    }

    public static String hash(String password) {
        return BCrypt.hashpw(password, BCrypt.gensalt(10));
    }

    /** False for a hash of another kind. */
    static boolean matches(String password, String hash) {
        try {
            return BCrypt.checkpw(password, hash);
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /** Takes the time of a check. */
    static void pretendToCheck(String password) {
        matches(password, NOBODYS);
    }

    public static boolean isKnown(String hash) {
        return hash.equals(SHIPPED_HASH) || SHIPPED.stream().anyMatch(password -> matches(password, hash));
    }

    static boolean isShipped(String password) {
        return SHIPPED.contains(password);
    }

    public static String generate(SecureRandom random) {
        StringBuilder password = new StringBuilder(GENERATED_LENGTH);
        for (int i = 0; i < GENERATED_LENGTH; i++) {
            password.append(ALPHABET.charAt(random.nextInt(ALPHABET.length())));
        }
        return password.toString();
    }
}
