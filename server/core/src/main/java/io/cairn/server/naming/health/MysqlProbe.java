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
 * Sends a command to a database, on {@value #THREADS} threads of its own, which end when idle. Up to that number of
 * checks run without a queue. The connection and each read have a time limit; a server that sends its response byte by
 * byte occupies a thread longer, but the result is complete after {@value #ANSWER_MILLIS} ms.
 */
final class MysqlProbe implements AutoCloseable {

    /** Time limit for the whole check. */
    static final int ANSWER_MILLIS = 4_000;

    /** Maximum concurrent checks. */
    static final int THREADS = 4;

    private static final int READ_MILLIS = 1_000;
    private static final int CLOSE_MILLIS = 3_000;
    /** The characters of host names and addresses; none of them has a meaning in a JDBC URL. */
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
                // Queue for checks that start while all threads are busy, and for instances that have just become
                // databases.
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
                    result.complete(judge(e));
                } catch (Throwable e) {
                    // The driver parses data from an untrusted server; every failure becomes a result.
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
                return judge(rows);
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
        // The server is untrusted, because any publisher can register one. It gets no files, its data is not
        // deserialized into objects, and messages of the driver appear only in the result.
        properties.setProperty("allowLoadLocalInfile", "false");
        properties.setProperty("allowUrlInLocalInfile", "false");
        properties.setProperty("autoDeserialize", "false");
        properties.setProperty("paranoid", "true");
        properties.setProperty("logger", "com.mysql.cj.log.NullLogger");
        return properties;
    }

    private static ProbeResult judge(ResultSet rows) throws SQLException {
        if (rows.next() && rows.getMetaData().getColumnCount() >= 2) {
            String value = rows.getString(2);
            if ("ON".equalsIgnoreCase(value) || "1".equals(value)) {
                return ProbeResult.down("read-only");
            }
        }
        return ProbeResult.passed("answered");
    }

    /** The result for a failure. */
    static ProbeResult judge(SQLException e) {
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
        // Only a failure that the database itself reports has an error code. Connection errors, such as too many
        // connections, are temporary.
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
            // The driver's thread closes abandoned connections; here every connection is closed.
            System.setProperty("com.mysql.cj.disableAbandonedConnectionCleanup", "true");
            try {
                return new NonRegisteringDriver();
            } catch (SQLException e) {
                throw new IllegalStateException("the database driver does not start", e);
            }
        }
    }
}
