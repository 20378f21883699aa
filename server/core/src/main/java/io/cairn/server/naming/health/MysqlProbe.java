package io.cairn.server.naming.health;

import com.mysql.cj.jdbc.NonRegisteringDriver;
import io.netty.util.NetUtil;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Properties;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * Sends a command to a database, on {@value #THREADS} own threads, which end when idle. Connection and reads have a time limit; a
 * server that sends single bytes occupies a thread longer, but the result is complete after {@value #ANSWER_MILLIS} ms.
 */
final class MysqlProbe implements AutoCloseable {

    /** For the whole check. */
    static final int ANSWER_MILLIS = 4_000;

    /** Concurrent checks. */
    static final int THREADS = 4;

    private static final int READ_MILLIS = 1_000;
    private static final int CLOSE_MILLIS = 3_000;
    /** Of host names and addresses, without a meaning in a JDBC URL. */
    private static final Pattern HOST = Pattern.compile("[A-Za-z0-9._-]+");

    private static final String CONNECTION_TROUBLE = "08";

    private final ClientSockets sockets;
    private final ThreadPoolExecutor threads;

    MysqlProbe(ClientSockets sockets) {
        this.sockets = sockets;
        threads = new ThreadPoolExecutor(
                THREADS,
                THREADS,
                10,
                TimeUnit.SECONDS,
                // For checks while all threads are busy, and instances that just became databases.
                new ArrayBlockingQueue<>(HealthChecks.MAX_UNDER_WAY),
                new DefaultThreadFactory("cairn-health-mysql", true));
        threads.allowCoreThreadTimeOut(true);
    }

    CompletableFuture<ProbeResult> check(String host, int port, HealthCheck.Mysql check) {
        boolean v6 = NetUtil.isValidIpV6Address(host) && host.indexOf('%') < 0;
        if (!v6 && !HOST.matcher(host).matches()) {
            return CompletableFuture.completedFuture(ProbeResult.failed("the host is neither an address nor a name"));
        }
        String url = "jdbc:mysql://" + (v6 ? '[' + host + ']' : host) + ':' + port + '/';
        CompletableFuture<ProbeResult> result = new CompletableFuture<>();
        try {
            threads.execute(() -> {
                var limit = sockets.loops()
                        .schedule(
                                () -> result.complete(
                                        ProbeResult.failed("no complete answer within " + ANSWER_MILLIS + " ms")),
                                ANSWER_MILLIS,
                                TimeUnit.MILLISECONDS);
                try {
                    result.complete(ask(url, check));
                } catch (SQLException e) {
                    result.complete(evaluate(e));
                } catch (Throwable e) {
                    // The driver parses untrusted data; every failure becomes a result.
                    result.complete(ProbeResult.failed(e.toString()));
                } finally {
                    limit.cancel(false);
                }
            });
        } catch (RejectedExecutionException e) {
            return CompletableFuture.completedFuture(ProbeResult.unknown("too many checks of databases are queued"));
        }
        return result;
    }

    private static ProbeResult ask(String url, HealthCheck.Mysql check) throws SQLException {
        try (Connection connection = Lazy.DRIVER.connect(url, properties(check));
                Statement statement = connection.createStatement()) {
            statement.setMaxRows(1);
            if (!statement.execute(check.command())) {
                return ProbeResult.passed("answered");
            }
            try (ResultSet rows = statement.getResultSet()) {
                return evaluate(rows);
            }
        }
    }

    private static Properties properties(HealthCheck.Mysql check) {
        Properties properties = new Properties();
        properties.setProperty("user", check.user());
        properties.setProperty("password", check.password());
        properties.setProperty("connectTimeout", Integer.toString(ClientSockets.CONNECT_MILLIS));
        properties.setProperty("socketTimeout", Integer.toString(READ_MILLIS));
        properties.setProperty("maxAllowedPacket", Integer.toString(64 * 1024));
        properties.setProperty("allowPublicKeyRetrieval", "true");
        // Any publisher can register a server. It gets no files, its data is not deserialized, and driver messages
        // appear only in the result.
        properties.setProperty("allowLoadLocalInfile", "false");
        properties.setProperty("allowUrlInLocalInfile", "false");
        properties.setProperty("autoDeserialize", "false");
        properties.setProperty("paranoid", "true");
        properties.setProperty("logger", "com.mysql.cj.log.NullLogger");
        return properties;
    }

    private static ProbeResult evaluate(ResultSet rows) throws SQLException {
        if (rows.next() && rows.getMetaData().getColumnCount() >= 2) {
            String value = rows.getString(2);
            if ("ON".equalsIgnoreCase(value) || "1".equals(value)) {
                return ProbeResult.down("read-only");
            }
        }
        return ProbeResult.passed("answered");
    }

    static ProbeResult evaluate(SQLException e) {
        for (Throwable cause = e.getCause(); cause != null; cause = cause.getCause()) {
            if (cause instanceof SocketTimeoutException) {
                return ProbeResult.failed("no answer in time");
            }
            if (cause instanceof ConnectException) {
                return ProbeResult.down("connection refused");
            }
        }
        String state = e.getSQLState();
        String reason = "SQL state " + state + ", " + e.getMessage();
        // Only the database's own failures have an error code. Connection errors, such as too many connections, are
        // temporary.
        boolean saidByTheDatabase = e.getErrorCode() > 0 && state != null && !state.startsWith(CONNECTION_TROUBLE);
        return saidByTheDatabase ? ProbeResult.down(reason) : ProbeResult.failed(reason);
    }

    @Override
    public void close() {
        threads.shutdownNow();
        try {
            threads.awaitTermination(CLOSE_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Loads the driver with the first check of a database. */
    private static final class Lazy {

        private static final NonRegisteringDriver DRIVER = newDriver();

        private static NonRegisteringDriver newDriver() {
            // Its thread closes abandoned connections; here every connection is closed.
            System.setProperty("com.mysql.cj.disableAbandonedConnectionCleanup", "true");
            try {
                return new NonRegisteringDriver();
            } catch (SQLException e) {
                throw new IllegalStateException("the database driver does not start", e);
            }
        }
    }
}
