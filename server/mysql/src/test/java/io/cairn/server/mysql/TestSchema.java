package io.cairn.server.mysql;

import io.cairn.server.CairnServer;
import io.cairn.server.nodes.DatabaseAccess;
import io.cairn.server.nodes.DatabaseProcess;
import io.cairn.server.support.TwoServersContract;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;

/**
 * A schema of its own for one test class, on a server that all classes of this JVM share: the one that
 * {@code CAIRN_TEST_MYSQL_URL} names ({@code jdbc:mysql://host:port}, with {@code CAIRN_TEST_MYSQL_USER} and
 * {@code CAIRN_TEST_MYSQL_PASSWORD}; schemas named {@code cairn_test_…} are created and dropped there), or else one that
 * the build brings.
 *
 * @param server URL of the server without a schema, without the slash before it
 */
public record TestSchema(String server, String name, String user, String password)
        implements TwoServersContract.SharedDatabase {

    private static final AtomicInteger COUNTER = new AtomicInteger();
    private static DatabaseProcess shared;

    /** An empty schema whose default collation is utf8mb4_bin; {@code owner} shows in its name. */
    public static TestSchema create(Class<?> owner) {
        return create(owner, "default character set utf8mb4 collate utf8mb4_bin");
    }

    /** An empty schema with these options of CREATE DATABASE. */
    public static TestSchema create(Class<?> owner, String options) {
        String name = "cairn_test_" + ProcessHandle.current().pid() + '_' + COUNTER.incrementAndGet() + '_'
                + owner.getSimpleName().toLowerCase(Locale.ROOT);
        String named = System.getenv("CAIRN_TEST_MYSQL_URL");
        TestSchema schema = named == null
                ? new TestSchema(
                        "jdbc:mysql://127.0.0.1:" + sharedProcess().port(),
                        name,
                        DatabaseProcess.USER,
                        DatabaseProcess.PASSWORD)
                : new TestSchema(
                        named.replaceAll("/+$", ""),
                        name,
                        environment("CAIRN_TEST_MYSQL_USER"),
                        environment("CAIRN_TEST_MYSQL_PASSWORD"));
        schema.executeOnServer("create database " + name + ' ' + options);
        return schema;
    }

    private static String environment(String name) {
        String value = System.getenv(name);
        if (value == null) {
            throw new AssertionError(name + " is not set, but CAIRN_TEST_MYSQL_URL is");
        }
        return value;
    }

    private static synchronized DatabaseProcess sharedProcess() {
        Assumptions.assumeTrue(
                DatabaseProcess.obstacle() == null,
                () -> DatabaseProcess.obstacle() + "; name a server by CAIRN_TEST_MYSQL_URL");
        if (shared == null) {
            shared = DatabaseProcess.running();
            Runtime.getRuntime().addShutdownHook(new Thread(shared::close, "test-database-end"));
        }
        return shared;
    }

    /** Skips the test where the database cannot be stopped and killed, for it is not this build's own. */
    public static void assumeOwnProcess() {
        Assumptions.assumeTrue(
                System.getenv("CAIRN_TEST_MYSQL_URL") == null,
                "the server named by CAIRN_TEST_MYSQL_URL is not for tests to kill");
        Assumptions.assumeTrue(DatabaseProcess.obstacle() == null, DatabaseProcess::obstacle);
    }

    /** The JDBC URL of the schema, with no parameters. */
    public String url() {
        return server + '/' + name;
    }

    /** The schema for the servers under test. */
    DatabaseAccess access() {
        return new DatabaseAccess(url(), user, password);
    }

    @Override
    public CairnServer.Builder serverAt(Path home) {
        return CairnServer.builder()
                .home(home)
                .setting("server.port", "0")
                .setting("server.address", "127.0.0.1")
                .setting("spring.sql.init.platform", "mysql")
                .setting("db.num", "1")
                .setting("db.url.0", url())
                .setting("db.user.0", user)
                .setting("db.password.0", password);
    }

    /** Closes those of the servers that were started, and drops the schema. */
    void closeAfter(@Nullable CairnServer... servers) {
        for (CairnServer started : servers) {
            if (started != null) {
                started.close();
            }
        }
        close();
    }

    /** A connection of the test's own, past the server under test. */
    public Connection connect() throws SQLException {
        return DriverManager.getConnection(url(), user, password);
    }

    /** Executes one statement in the schema. */
    public void execute(String sql) {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new AssertionError(sql, e);
        }
    }

    @Override
    public List<List<String>> query(String sql) {
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            List<List<String>> all = new ArrayList<>();
            while (rows.next()) {
                List<String> row = new ArrayList<>();
                for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
                    row.add(rows.getString(i));
                }
                all.add(row);
            }
            return all;
        } catch (SQLException e) {
            throw new AssertionError(sql, e);
        }
    }

    private void executeOnServer(String sql) {
        try (Connection connection = DriverManager.getConnection(server + '/', user, password);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new AssertionError(sql, e);
        }
    }

    /** Drops the schema. */
    @Override
    public void close() {
        executeOnServer("drop database if exists " + name);
    }
}
