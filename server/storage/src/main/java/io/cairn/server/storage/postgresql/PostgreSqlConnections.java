package io.cairn.server.storage.postgresql;

import io.cairn.server.storage.server.ServerConnections;
import io.cairn.server.storage.server.ServerSettings;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import org.postgresql.Driver;

/** Opens connections to one address. The URL's options are read here, because they would take precedence in the driver. */
final class PostgreSqlConnections implements ServerConnections {

    private static final String PREFIX = "jdbc:postgresql:";
    private static final String SOCKET_TIMEOUT = "socketTimeout";
    private static final String CONNECT_TIMEOUT = "connectTimeout";
    private static final int CONNECT_TIMEOUT_SECONDS = 3;
    private static final int SOCKET_TIMEOUT_SECONDS = 10;
    private static final int BRIEF_TIMEOUT_SECONDS = 2;
    /** Longer than a wait for a lock. */
    private static final int LEAST_SOCKET_TIMEOUT_SECONDS = 3;

    private final ServerSettings.Source source;
    private final Properties options;

    PostgreSqlConnections(ServerSettings.Source source) {
        this.source = source;
        this.options = options(source);
    }

    private static Properties options(ServerSettings.Source source) {
        Properties options = new Properties();
        options.putAll(optionsOf(source.url()));
        options.setProperty("user", source.user());
        options.setProperty("password", source.password());
        // A failed statement must end its transaction.
        options.setProperty("autosave", "never");
        options.setProperty("reWriteBatchedInserts", "true");
        ifAbsent(options, CONNECT_TIMEOUT, CONNECT_TIMEOUT_SECONDS);
        ifAbsent(options, SOCKET_TIMEOUT, SOCKET_TIMEOUT_SECONDS);
        ifAbsent(options, "tcpKeepAlive", "true");
        ifAbsent(options, "ApplicationName", "cairn");
        if (address(source.url()).contains(",")) {
            ifAbsent(options, "targetServerType", "primary");
            ifAbsent(options, "hostRecheckSeconds", 1);
        }
        return options;
    }

    private static void ifAbsent(Properties options, String name, Object value) {
        String given = options.getProperty(name);
        if (given == null || given.matches("0*")) {
            options.setProperty(name, value.toString());
        }
    }

    private static String address(String url) {
        int start = url.indexOf('?');
        return start < 0 ? url : url.substring(0, start);
    }

    /** By name, as the driver reads them. */
    static Map<String, String> optionsOf(String url) {
        Map<String, String> given = new LinkedHashMap<>();
        int start = url.indexOf('?');
        if (start >= 0) {
            for (String option : url.substring(start + 1).split("&", -1)) {
                int equals = option.indexOf('=');
                String name = equals < 0 ? option : option.substring(0, equals);
                if (!name.isBlank()) {
                    given.put(name.trim(), equals < 0 ? "" : decoded(option.substring(equals + 1)));
                }
            }
        }
        return given;
    }

    private static String decoded(String value) {
        try {
            return URLDecoder.decode(value, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return value;
        }
    }

    static boolean isUrl(String url) {
        return url.startsWith(PREFIX);
    }

    @Override
    public Connection openWriter() throws SQLException {
        Properties patient = options();
        patient.setProperty(SOCKET_TIMEOUT, Integer.toString(Math.max(socketTimeout(), LEAST_SOCKET_TIMEOUT_SECONDS)));
        return open(patient);
    }

    private int socketTimeout() {
        try {
            return Integer.parseInt(options.getProperty(SOCKET_TIMEOUT));
        } catch (NumberFormatException e) {
            // The driver reports option and value when it opens a connection.
            return SOCKET_TIMEOUT_SECONDS;
        }
    }

    @Override
    public Connection openBrief() throws SQLException {
        Properties brief = options();
        brief.setProperty(CONNECT_TIMEOUT, Integer.toString(BRIEF_TIMEOUT_SECONDS));
        brief.setProperty(SOCKET_TIMEOUT, Integer.toString(BRIEF_TIMEOUT_SECONDS));
        return open(brief);
    }

    @Override
    public Connection openForSchema() throws SQLException {
        Properties patient = options();
        patient.setProperty(SOCKET_TIMEOUT, Integer.toString(Math.max(socketTimeout(), SOCKET_TIMEOUT_SECONDS)));
        return open(patient);
    }

    private Connection open(Properties with) throws SQLException {
        Connection connection = new Driver().connect(url(), with);
        if (connection == null) {
            throw new SQLException("'" + source + "' (expected: " + PREFIX + "//host:port/database)");
        }
        return connection;
    }

    @Override
    public String url() {
        return address(source.url());
    }

    /** Nothing: behind a pooler a session is also used by other clients. */
    @Override
    public @Nullable String sessionSettings() {
        return null;
    }

    @Override
    public Properties options() {
        Properties copy = new Properties();
        copy.putAll(options);
        return copy;
    }

    @Override
    public ServerSettings.Source source() {
        return source;
    }
}
