package io.cairn.server.postgresql;

import io.cairn.server.CairnServer;
import io.cairn.server.nodes.DatabaseAccess;
import io.cairn.server.nodes.PostgreSqlProcess;
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
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Assumptions;

/**
 * A database of its own for one test class, on a server that all classes of this JVM share. Its owner is a role without further
 * rights.
 *
 * @param server URL of the server without a database, without the slash before it
 */
public record TestSchema(String server, String name, String user, String password)
        implements TwoServersContract.SharedDatabase {

    private static final AtomicInteger COUNTER = new AtomicInteger();
    private static PostgreSqlProcess shared;

    /** An empty database; {@code owner} shows in its name. */
    public static TestSchema create(Class<?> owner) {
        String name = "cairn_test_" + COUNTER.incrementAndGet() + '_'
                + owner.getSimpleName().toLowerCase(Locale.ROOT);
        TestSchema schema = new TestSchema(
                "jdbc:postgresql://localhost:" + shared().port(),
                name,
                PostgreSqlProcess.USER,
                PostgreSqlProcess.PASSWORD);
        shared().createDatabase(name);
        return schema;
    }

    /** Skips the test where no server of the build can run. */
    public static void assumeServer() {
        Assumptions.assumeTrue(PostgreSqlProcess.obstacle() == null, PostgreSqlProcess::obstacle);
    }

    private static synchronized PostgreSqlProcess shared() {
        if (shared == null) {
            assumeServer();
            shared = PostgreSqlProcess.running(
                    Map.of("full_page_writes", "off", "synchronous_commit", "off", "max_connections", "200"));
        }
        return shared;
    }

    public String url() {
        return server + '/' + name;
    }

    /** The database for the servers under test. */
    DatabaseAccess access() {
        return new DatabaseAccess(url(), user, password);
    }

    @Override
    public CairnServer.Builder serverAt(Path home) {
        return CairnServer.builder()
                .home(home)
                .setting("server.port", "0")
                .setting("server.address", "127.0.0.1")
                .setting("spring.sql.init.platform", "postgresql")
                .setting("db.num", "1")
                .setting("db.url.0", url())
                .setting("db.user.0", user)
                .setting("db.password.0", password);
    }

    public Connection connect() throws SQLException {
        return DriverManager.getConnection(url(), user, password);
    }

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

    /** Executes a statement as the administrator. */
    public void executeOnServer(String sql) {
        shared().execute(sql);
    }

    @Override
    public void close() {
        executeOnServer("DROP DATABASE IF EXISTS " + name + " WITH (FORCE)");
    }
}
