package io.cairn.server.naming;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ParameterException;
import io.cairn.api.naming.Instance;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Checks names and values of services and instances with Nacos's error texts, which clients and scripts parse. Throws
 * {@code INVALID_PARAMETER}; ignores absent values.
 *
 * <p>Source: the parameter check and the instance check of Nacos 2.5.
 */
public final class NamingCheck {

    private static final int MAX_SERVICE_NAME = 512;
    private static final int MAX_CLUSTER = 64;
    private static final int MAX_IP = 128;
    private static final int MAX_PORT = 65535;
    public static final int MAX_WEIGHT = 10_000;

    private NamingCheck() {}

    /** Without its group. */
    public static void serviceName(@Nullable String name) {
        if (name == null) {
            return;
        }
        if (name.length() > MAX_SERVICE_NAME) {
            throw tooLong("serviceName", MAX_SERVICE_NAME);
        }
        if (name.startsWith("@") || name.contains("@@") || hasSpaceOrIdeograph(name)) {
            throw illegal("serviceName");
        }
    }

    /** Comma-separated names; trailing commas are ignored. */
    public static void clusters(@Nullable String names) {
        if (names == null || names.isEmpty()) {
            return;
        }
        int end = names.length();
        while (end > 0 && names.charAt(end - 1) == ',') {
            end--;
        }
        if (end == 0) {
            return;
        }
        for (String name : names.substring(0, end).split(",", -1)) {
            if (name.isEmpty()) {
                throw illegal("cluster");
            }
            if (name.length() > MAX_CLUSTER) {
                throw tooLong("cluster", MAX_CLUSTER);
            }
            for (int i = 0; i < name.length(); i++) {
                if (!isLetterDigitOrHyphen(name.charAt(i)) && name.charAt(i) != '_') {
                    throw illegal("cluster");
                }
            }
        }
    }

    public static void ip(@Nullable String ip) {
        if (ip == null) {
            return;
        }
        if (ip.length() > MAX_IP) {
            throw tooLong("ip", MAX_IP);
        }
        if (hasSpaceOrIdeograph(ip)) {
            throw illegal("ip");
        }
    }

    public static void port(int port) {
        if (port < 0 || port > MAX_PORT) {
            throw badPort();
        }
    }

    /** @throws CairnException {@code INVALID_PARAMETER}, also for another text */
    public static int port(String text) {
        try {
            int port = Integer.parseInt(text.trim());
            port(port);
            return port;
        } catch (NumberFormatException e) {
            throw badPort();
        }
    }

    private static CairnException badPort() {
        return ParameterException.refused("port", "the value should be between 0 and " + MAX_PORT + ".");
    }

    /** @param maxLength of all keys and values */
    public static void metadata(Map<String, String> metadata, int maxLength) {
        int length = 0;
        for (Map.Entry<String, String> entry : metadata.entrySet()) {
            length += entry.getKey().length() + entry.getValue().length();
        }
        if (length > maxLength) {
            throw tooLong("Metadata", maxLength);
        }
    }

    /** The weight in an HTTP request. */
    public static void weight(double weight) {
        if (!(weight >= 0 && weight <= MAX_WEIGHT)) {
            throw badWeight();
        }
    }

    /**
     * An SDK's weight: any finite number. Nacos servers check only HTTP requests, and an SDK repeats a refused request without end.
     */
    public static void weightOfSdk(double weight) {
        if (!Double.isFinite(weight)) {
            throw badWeight();
        }
    }

    private static NamingException badWeight() {
        return new NamingException(
                NamingException.Fault.WEIGHT, "instance format invalid: The weights range from 0.0 to 10000.0");
    }

    /** Whether the values fit together. */
    public static void registration(Instance instance) {
        long interval = instance.beatInterval().toMillis();
        if (instance.beatTimeout().toMillis() < interval
                || instance.deleteTimeout().toMillis() < interval) {
            throw new NamingException(
                    NamingException.Fault.INSTANCE,
                    "Instance 'heart beat interval' must less than 'heart beat timeout' and 'ip delete timeout'.");
        }
        String cluster = instance.key().cluster();
        for (int i = 0; i < cluster.length(); i++) {
            if (!isLetterDigitOrHyphen(cluster.charAt(i))) {
                throw new NamingException(
                        NamingException.Fault.INSTANCE,
                        "Instance 'clusterName' should be characters with only 0-9a-zA-Z-. (current: " + cluster + ")");
            }
        }
    }

    private static boolean isLetterDigitOrHyphen(char c) {
        return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-';
    }

    private static boolean hasSpaceOrIdeograph(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (Character.isWhitespace(c) || c >= '\u4E00' && c <= '\u9FA5') {
                return true;
            }
        }
        return false;
    }

    private static CairnException illegal(String parameter) {
        return ParameterException.refused(parameter, "illegal characters should not appear in the param.");
    }

    private static CairnException tooLong(String parameter, int maxLength) {
        return ParameterException.refused(parameter, "the param length should not exceed " + maxLength + ".");
    }
}
