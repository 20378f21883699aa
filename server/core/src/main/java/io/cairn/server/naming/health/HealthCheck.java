package io.cairn.server.naming.health;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * A cluster's health check; {@code toString} shows neither passwords nor headers.
 *
 * <p>Implementations refuse malformed values with a {@link CairnException} {@code INVALID_PARAMETER} with field and expected value.
 */
public sealed interface HealthCheck {

    /** The default: a TCP connection. */
    HealthCheck TCP = new Tcp();

    /** No check; callers of the API set the health. */
    HealthCheck NONE = new None();

    /** With their names in JSON. */
    enum Type {
        TCP,
        HTTP,
        MYSQL,
        GRPC,
        NONE
    }

    Type type();

    /** With passwords, in ASCII: for the store, and for readers of the cluster's settings. */
    String toJson();

    /**
     * Ignores unknown fields.
     *
     * @throws CairnException {@code INVALID_PARAMETER} for other texts, an unknown type, or a missing or malformed field; the
     *     message never repeats the JSON, which may contain a password
     */
    static HealthCheck fromJson(String json) {
        return HealthCheckJson.read(json);
    }

    /** Passes if a connection is accepted. */
    record Tcp() implements HealthCheck {

        @Override
        public Type type() {
            return Type.TCP;
        }

        @Override
        public String toJson() {
            return HealthCheckJson.write(this);
        }
    }

    record None() implements HealthCheck {

        @Override
        public Type type() {
            return Type.NONE;
        }

        @Override
        public String toJson() {
            return HealthCheckJson.write(this);
        }
    }

    /**
     * Passes if a GET has the expected status.
     *
     * @param path with query, at most 1,024 characters; empty for the root
     * @param headers {@code name:value|name2:value2}, at most 4,096 characters
     * @param expectedResponseCode 100-599
     */
    record Http(String path, String headers, int expectedResponseCode) implements HealthCheck {

        /** The default. */
        public static final int DEFAULT_RESPONSE_CODE = 200;

        private static final int MAX_PATH = 1_024;
        private static final int MAX_HEADERS = 4_096;
        /** Headers of framing and connection, set by the probe. */
        private static final Set<String> RESERVED =
                Set.of("connection", "content-length", "expect", "te", "trailer", "transfer-encoding", "upgrade");

        public record Header(String name, String value) {}

        public Http {
            checkLength("path", path, MAX_PATH);
            for (int i = 0; i < path.length(); i++) {
                char c = path.charAt(i);
                if (Character.isWhitespace(c) || Character.isISOControl(c)) {
                    throw refused("path: a blank or control character at " + i + " (expected: none)");
                }
            }
            checkLength("headers", headers, MAX_HEADERS);
            parse(headers);
            if (expectedResponseCode < 100 || expectedResponseCode > 599) {
                throw refused("expectedResponseCode: " + expectedResponseCode + " (expected: 100-599)");
            }
        }

        @Override
        public Type type() {
            return Type.HTTP;
        }

        /** The path with a leading slash. */
        public String requestTarget() {
            return path.startsWith("/") ? path : '/' + path;
        }

        public List<Header> headerFields() {
            return parse(headers);
        }

        private static List<Header> parse(String headers) {
            List<Header> fields = new ArrayList<>();
            for (String part : headers.split("\\|")) {
                if (part.isBlank()) {
                    continue;
                }
                int colon = part.indexOf(':');
                String name = colon < 0 ? "" : part.substring(0, colon).strip();
                if (!isToken(name)) {
                    // The value may be a secret, so the message has only its position.
                    throw refused("headers: no name in front of a colon in part " + (fields.size() + 1)
                            + " (expected: name:value|name2:value2)");
                }
                if (RESERVED.contains(name.toLowerCase(Locale.ROOT))) {
                    throw refused("headers: " + name + " (expected: one that does not frame the request)");
                }
                String value = part.substring(colon + 1).strip();
                if (value.chars().anyMatch(c -> c != '\t' && (c < ' ' || c > '~'))) {
                    throw refused("headers: the value of " + name + " (expected: printable ASCII characters)");
                }
                fields.add(new Header(name, value));
            }
            return List.copyOf(fields);
        }

        private static boolean isToken(String name) {
            return !name.isEmpty()
                    && name.chars()
                            .allMatch(c -> c >= 'a' && c <= 'z'
                                    || c >= 'A' && c <= 'Z'
                                    || c >= '0' && c <= '9'
                                    || "!#$%&'*+-.^_`~".indexOf(c) >= 0);
        }

        @Override
        public String toJson() {
            return HealthCheckJson.write(this);
        }

        @Override
        public String toString() {
            return "Http[path=" + path + ", headers=" + (headers.isEmpty() ? "" : "***") + ", expectedResponseCode="
                    + expectedResponseCode + ']';
        }
    }

    /**
     * Passes if a database answers a command and is not read-only.
     *
     * @param user not blank, at most 128 characters
     * @param password at most 512 characters, may be empty; sent to every instance of the cluster
     * @param command one SQL statement, not blank, at most 2,048 characters. A second column of the first row must be neither
     *     {@code ON} nor {@code 1}
     */
    record Mysql(String user, String password, String command) implements HealthCheck {

        /** The default. */
        public static final String DEFAULT_COMMAND = "show global variables where variable_name='read_only'";

        private static final int MAX_USER = 128;
        private static final int MAX_PASSWORD = 512;
        private static final int MAX_COMMAND = 2_048;

        public Mysql {
            checkLength("user", user, MAX_USER);
            checkLength("pwd", password, MAX_PASSWORD);
            checkLength("cmd", command, MAX_COMMAND);
            if (user.isBlank()) {
                throw refused("user: blank (expected: the name of a database user)");
            }
            if (command.isBlank()) {
                throw refused("cmd: blank (expected: an SQL statement)");
            }
        }

        @Override
        public Type type() {
            return Type.MYSQL;
        }

        @Override
        public String toJson() {
            return HealthCheckJson.write(this);
        }

        @Override
        public String toString() {
            return "Mysql[user=" + user + ", password=***, command=" + command + ']';
        }
    }

    /**
     * Passes if {@code grpc.health.v1.Health/Check} answers SERVING.
     *
     * @param service at most 512 characters; empty for the whole server
     */
    record Grpc(String service) implements HealthCheck {

        private static final int MAX_SERVICE = 512;

        public Grpc {
            checkLength("service", service, MAX_SERVICE);
        }

        @Override
        public Type type() {
            return Type.GRPC;
        }

        @Override
        public String toJson() {
            return HealthCheckJson.write(this);
        }
    }

    private static void checkLength(String field, String value, int max) {
        if (value.length() > max) {
            throw refused(field + ": " + value.length() + " characters (expected: " + max + " at most)");
        }
    }

    private static CairnException refused(String message) {
        return new CairnException(ErrorCode.INVALID_PARAMETER, message);
    }
}
