package io.cairn.server.auth;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Set;
import org.springframework.security.crypto.bcrypt.BCrypt;

/** Hashes and checks passwords as Nacos stores them. Each takes a good part of a tenth of a second: off event loops. */
public final class Passwords {

    private static final int MAX_BYTES = 72;
    private static final int GENERATED_LENGTH = 20;
    /** Without characters that are mistaken for each other. */
    private static final String ALPHABET = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";
    /** The hash of no user; compared for an unknown name, so that it takes the same time as a known one. */
    private static final String NOBODYS = "$2a$10$0f8BqO2rkTP9w4kGm0Jt1uhoxr0VJm3bY0l8yQm7bJ3vJq6m1o4yC";

    /** The hash that installations of Nacos came with up to 2.3; its password is {@code nacos}. */
    private static final String SHIPPED_HASH = "$2a$10$EuWPZHzz32dJN7jexM34MOeYirDdFAZm2kuWj7VEOJhhZkDrxfvUu";

    private static final Set<String> SHIPPED = Set.of("nacos");

    private Passwords() {}

    /** @throws CairnException {@code INVALID_PARAMETER} when it is empty or longer than bcrypt reads */
    public static void check(String password) {
        int bytes = password.getBytes(StandardCharsets.UTF_8).length;
        if (password.isBlank() || bytes > MAX_BYTES) {
            throw new CairnException(
                    ErrorCode.INVALID_PARAMETER, "password: " + bytes + " bytes (expected: 1-" + MAX_BYTES + ")");
        }
    }

    /** @throws CairnException {@code INVALID_PARAMETER} if the password is publicly known */
    public static void refuseKnown(String password) {
        if (SHIPPED.contains(password)) {
            throw new CairnException(
                    ErrorCode.INVALID_PARAMETER, "password: the one that Nacos was shipped with (expected: another)");
        }
    }

    /** The hash that is stored. */
    public static String hash(String password) {
        return BCrypt.hashpw(password, BCrypt.gensalt(10));
    }

    /** Whether the hash is of that password; false for a hash of another kind. */
    static boolean matches(String password, String hash) {
        try {
            return BCrypt.checkpw(password, hash);
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /** Takes as long as a check. */
    static void pretendToCheck(String password) {
        matches(password, NOBODYS);
    }

    /** Whether the password of that hash is publicly known. */
    public static boolean isKnown(String hash) {
        return hash.equals(SHIPPED_HASH) || SHIPPED.stream().anyMatch(password -> matches(password, hash));
    }

    /** Whether the password is publicly known. */
    static boolean isShipped(String password) {
        return SHIPPED.contains(password);
    }

    /** A random password. */
    public static String generate(SecureRandom random) {
        StringBuilder password = new StringBuilder(GENERATED_LENGTH);
        for (int i = 0; i < GENERATED_LENGTH; i++) {
            password.append(ALPHABET.charAt(random.nextInt(ALPHABET.length())));
        }
        return password.toString();
    }
}
