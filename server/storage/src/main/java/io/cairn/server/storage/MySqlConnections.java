package io.cairn.server.storage;

import com.mysql.cj.jdbc.Driver;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashSet;
import java.util.Locale;
import java.util.Properties;
import java.util.Set;

/** Opens connections to one address, with the options that the store relies on whatever the URL says. */
final class MySqlConnections {

    private static final String PREFIX = "jdbc:mysql:";
    private static final int CONNECT_TIMEOUT_MILLIS = 3_000;
    private static final int SOCKET_TIMEOUT_MILLIS = 10_000;
    private static final int BRIEF_TIMEOUT_MILLIS = 2_000;
    private static final int LOCK_WAIT_SECONDS = 5;
    private static final int GROUP_CONCAT_BYTES = 1 << 20;

    private final MySqlSettings.Source source;
    private final Properties options;

    MySqlConnections(MySqlSettings.Source source) {
        this.source = source;
        this.options = options(source);
    }

    /** Options for the driver; these win over those of the URL. */
    private static Properties options(MySqlSettings.Source source) {
        Properties options = new Properties();
        options.setProperty("user", source.user());
        options.setProperty("password", source.password());
        // A statement that has lost its connection must fail: repeated on a new one, it would run outside its
        // transaction.
        options.setProperty("autoReconnect", "false");
        options.setProperty("useAffectedRows", "false");
        // Too long or not representable is an error, never cut off silently.
        options.setProperty("jdbcCompliantTruncation", "true");
        options.setProperty("useServerPrepStmts", "true");
        options.setProperty("cachePrepStmts", "true");
        options.setProperty("prepStmtCacheSize", "128");
        options.setProperty("prepStmtCacheSqlLimit", "65536");
        options.setProperty("rewriteBatchedStatements", "true");
        options.setProperty("zeroDateTimeBehavior", "CONVERT_TO_NULL");
        Set<String> given = optionsOf(source.url());
        ifAbsent(options, given, "connectTimeout", CONNECT_TIMEOUT_MILLIS);
        ifAbsent(options, given, "socketTimeout", SOCKET_TIMEOUT_MILLIS);
        ifAbsent(options, given, "tcpKeepAlive", "true");
        return options;
    }

    private static void ifAbsent(Properties options, Set<String> given, String name, Object value) {
        if (!given.contains(name.toLowerCase(Locale.ROOT))) {
            options.setProperty(name, value.toString());
        }
    }

    /** The names of the URL's options, in small letters; those with no value or 0 for a time count as absent. */
    private static Set<String> optionsOf(String url) {
        Set<String> names = new HashSet<>();
        int start = url.indexOf('?');
        if (start >= 0) {
            for (String option : url.substring(start + 1).split("&", -1)) {
                int equals = option.indexOf('=');
                if (equals > 0 && !option.substring(equals + 1).matches("0*")) {
                    names.add(option.substring(0, equals).trim().toLowerCase(Locale.ROOT));
                }
            }
        }
        return names;
    }

    /** Whether the driver can be given that URL. */
    static boolean isUrl(String url) {
        return url.startsWith(PREFIX);
    }

    /** A connection that writes; rows that it reads under a lock are the newest, also within a transaction. */
    Connection openWriter() throws SQLException {
        return openWriter(options);
    }

    /** As {@link #openWriter()}, with time-outs of {@value #BRIEF_TIMEOUT_MILLIS} ms, whatever the URL says. */
    Connection openBrief() throws SQLException {
        Properties brief = options();
        brief.setProperty("connectTimeout", Integer.toString(BRIEF_TIMEOUT_MILLIS));
        brief.setProperty("socketTimeout", Integer.toString(BRIEF_TIMEOUT_MILLIS));
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

    /** A connection for changes to the schema, which may take long. */
    Connection openForSchema() throws SQLException {
        Properties patient = new Properties();
        patient.putAll(options);
        patient.setProperty("socketTimeout", "0");
        return open(patient);
    }

    private Connection open(Properties with) throws SQLException {
        Connection connection = new Driver().connect(source.url(), with);
        if (connection == null) {
            throw new SQLException("'" + source + "' (expected: " + PREFIX + "//host:port/database)");
        }
        return connection;
    }

    /** The first statement of each session. */
    static String sessionSettings() {
        return "SET SESSION group_concat_max_len=" + GROUP_CONCAT_BYTES;
    }

    Properties options() {
        Properties copy = new Properties();
        copy.putAll(options);
        return copy;
    }

    MySqlSettings.Source source() {
        return source;
    }
}
