package io.cairn.server.storage.mysql;

import com.mysql.cj.jdbc.Driver;
import io.cairn.server.storage.server.ServerConnections;
import io.cairn.server.storage.server.ServerSettings;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;

/** Opens connections to one address, with required options whatever the URL has. */
final class MySqlConnections implements ServerConnections {

    private static final String PREFIX = "jdbc:mysql:";
    private static final String SOCKET_TIMEOUT = "socketTimeout";
    private static final int CONNECT_TIMEOUT_MILLIS = 3_000;
    private static final int SOCKET_TIMEOUT_MILLIS = 10_000;
    private static final int BRIEF_TIMEOUT_MILLIS = 2_000;
    /** The database ends a wait up to a second later. */
    private static final int LOCK_WAIT_SECONDS = 1;
    /** Longer than a wait for a lock. */
    private static final int LEAST_SOCKET_TIMEOUT_MILLIS = 3_000;
    /** For the schema, outside changes. */
    private static final int SCHEMA_TIMEOUT_MILLIS = 10_000;

    private static final int GROUP_CONCAT_BYTES = 1 << 20;

    /** Copies Nacos's rows with a zero time, which MySQL refuses by default. */
    private static final String KEEPS_ZERO_DATES =
            "SET SESSION sql_mode =" + " REPLACE(REPLACE(@@sql_mode, 'NO_ZERO_DATE', ''), 'NO_ZERO_IN_DATE', '')";

    private final ServerSettings.Source source;
    private final Properties options;

    MySqlConnections(ServerSettings.Source source) {
        this.source = source;
        this.options = options(source);
    }

    /** These take precedence over the URL's. */
    private static Properties options(ServerSettings.Source source) {
        Properties options = new Properties();
        options.setProperty("user", source.user());
        options.setProperty("password", source.password());
        // A statement that lost its connection must fail: on a new one it would run outside its transaction.
        options.setProperty("autoReconnect", "false");
        options.setProperty("useAffectedRows", "false");
        // A too long or unrepresentable value is an error, never cut silently.
        options.setProperty("jdbcCompliantTruncation", "true");
        options.setProperty("useServerPrepStmts", "true");
        options.setProperty("cachePrepStmts", "true");
        options.setProperty("prepStmtCacheSize", "128");
        options.setProperty("prepStmtCacheSqlLimit", "65536");
        options.setProperty("rewriteBatchedStatements", "true");
        options.setProperty("zeroDateTimeBehavior", "CONVERT_TO_NULL");
        Map<String, String> given = optionsOf(source.url());
        ifAbsent(options, given, "connectTimeout", CONNECT_TIMEOUT_MILLIS);
        ifAbsent(options, given, SOCKET_TIMEOUT, SOCKET_TIMEOUT_MILLIS);
        ifAbsent(options, given, "tcpKeepAlive", "true");
        return options;
    }

    private static void ifAbsent(Properties options, Map<String, String> given, String name, Object value) {
        if (!given.containsKey(name.toLowerCase(Locale.ROOT))) {
            options.setProperty(name, value.toString());
        }
    }

    /** By lower case name; absent without a value, or with 0 for a time. */
    private static Map<String, String> optionsOf(String url) {
        Map<String, String> given = new HashMap<>();
        int start = url.indexOf('?');
        if (start >= 0) {
            for (String option : url.substring(start + 1).split("&", -1)) {
                int equals = option.indexOf('=');
                if (equals > 0 && !option.substring(equals + 1).matches("0*")) {
                    given.put(
                            option.substring(0, equals).trim().toLowerCase(Locale.ROOT),
                            option.substring(equals + 1).trim());
                }
            }
        }
        return given;
    }

    static boolean isUrl(String url) {
        return url.startsWith(PREFIX);
    }

    /**
     * For writes; rows read under a lock are the newest, also within a transaction. A wait for a lock ends before the socket's
     * time-out, at least {@value #LEAST_SOCKET_TIMEOUT_MILLIS} ms.
     */
    @Override
    public Connection openWriter() throws SQLException {
        Properties patient = options();
        patient.setProperty(SOCKET_TIMEOUT, Integer.toString(Math.max(socketTimeout(), LEAST_SOCKET_TIMEOUT_MILLIS)));
        return openWriter(patient);
    }

    /** In ms, of options or URL. */
    private int socketTimeout() {
        String text = options.getProperty(
                SOCKET_TIMEOUT, optionsOf(source.url()).get(SOCKET_TIMEOUT.toLowerCase(Locale.ROOT)));
        try {
            return text == null ? SOCKET_TIMEOUT_MILLIS : Integer.parseInt(text);
        } catch (NumberFormatException e) {
            // The driver reports option and value when it opens a connection.
            return SOCKET_TIMEOUT_MILLIS;
        }
    }

    /** As {@link #openWriter()}, with time-outs of {@value #BRIEF_TIMEOUT_MILLIS} ms. */
    @Override
    public Connection openBrief() throws SQLException {
        Properties brief = options();
        brief.setProperty("connectTimeout", Integer.toString(BRIEF_TIMEOUT_MILLIS));
        brief.setProperty(SOCKET_TIMEOUT, Integer.toString(BRIEF_TIMEOUT_MILLIS));
        return openWriter(brief);
    }

    private Connection openWriter(Properties with) throws SQLException {
        Connection connection = open(with);
        try (Statement statement = connection.createStatement()) {
            connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
            statement.execute(sessionSettings() + ", innodb_lock_wait_timeout=" + LOCK_WAIT_SECONDS);
            return connection;
        } catch (SQLException e) {
            connection.close();
            throw e;
        }
    }

    /**
     * For changes of the schema. Statements have at least {@value #SCHEMA_TIMEOUT_MILLIS} ms; for changes, which may take hours,
     * the caller lifts the limit. Where possible the system notices a vanished database after 25 s.
     */
    @Override
    public Connection openForSchema() throws SQLException {
        Properties patient = options();
        patient.setProperty(SOCKET_TIMEOUT, Integer.toString(Math.max(socketTimeout(), SCHEMA_TIMEOUT_MILLIS)));
        ifAbsent(patient, optionsOf(source.url()), "socketFactory", ProbingSocketFactory.class.getName());
        Connection connection = open(patient);
        try (Statement statement = connection.createStatement()) {
            statement.execute(KEEPS_ZERO_DATES);
            return connection;
        } catch (SQLException e) {
            connection.close();
            throw e;
        }
    }

    private Connection open(Properties with) throws SQLException {
        Connection connection = new Driver().connect(source.url(), with);
        if (connection == null) {
            throw new SQLException("'" + source + "' (expected: " + PREFIX + "//host:port/database)");
        }
        return connection;
    }

    @Override
    public String sessionSettings() {
        return "SET SESSION group_concat_max_len=" + GROUP_CONCAT_BYTES;
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
