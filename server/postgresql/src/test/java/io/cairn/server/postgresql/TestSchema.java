package io.cairn.server.postgresql;

import static io.cairn.testing.Patience.PATIENCE;
import static io.cairn.testing.Patience.START;

import io.cairn.server.CairnServer;
import io.cairn.server.support.TwoServersContract;
import io.cairn.testing.ReservedPorts;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
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

    private static final String OWNER = "cairn";
    private static final String ADMINISTRATOR = "postgres";
    private static final AtomicInteger COUNTER = new AtomicInteger();
    private static EmbeddedPostgres shared;

    /** An empty database; {@code owner} shows in its name. */
    public static TestSchema create(Class<?> owner) {
        String name = "cairn_test_" + COUNTER.incrementAndGet() + '_'
                + owner.getSimpleName().toLowerCase(Locale.ROOT);
        TestSchema schema = new TestSchema("jdbc:postgresql://localhost:" + shared().getPort(), name, OWNER, "secret");
        schema.executeOnServer("CREATE DATABASE " + name + " OWNER " + OWNER);
        return schema;
    }

    /** A server on a reserved port, with time to start on a busy machine; skips the test where no server can run. */
    static EmbeddedPostgres.Builder newServer() {
        Assumptions.assumeTrue(
                System.getProperty("os.name").equals("Linux")
                        && System.getProperty("os.arch").equals("amd64"),
                "PostgreSQL of the build runs on Linux on x86-64");
        Assumptions.assumeTrue(
                !System.getProperty("user.name").equals("root") || mayBeAnotherUser(),
                "PostgreSQL does not run as root, and this machine forbids unshare -U: run the build as another user");
        return EmbeddedPostgres.builder().setPort(ReservedPorts.one()).setPGStartupWait(START);
    }

    /** The library runs PostgreSQL in a user namespace where the user is root. */
    private static boolean mayBeAnotherUser() {
        try {
            Process attempt = new ProcessBuilder("unshare", "-U", "true")
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return attempt.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS) && attempt.exitValue() == 0;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private static synchronized EmbeddedPostgres shared() {
        if (shared == null) {
            EmbeddedPostgres.Builder builder = newServer();
            try {
                shared = builder.setServerConfig("fsync", "off")
                        .setServerConfig("full_page_writes", "off")
                        .setServerConfig("synchronous_commit", "off")
                        .setServerConfig("max_connections", "200")
                        .start();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            try (Connection connection = shared.getPostgresDatabase().getConnection();
                    Statement statement = connection.createStatement()) {
                statement.execute("CREATE ROLE " + OWNER + " LOGIN");
            } catch (SQLException e) {
                throw new AssertionError(e);
            }
        }
        return shared;
    }

    public String url() {
        return server + '/' + name;
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
        try (Connection connection = DriverManager.getConnection(server + "/postgres", ADMINISTRATOR, ADMINISTRATOR);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new AssertionError(sql, e);
        }
    }

    @Override
    public void close() {
        executeOnServer("DROP DATABASE IF EXISTS " + name + " WITH (FORCE)");
    }
}
