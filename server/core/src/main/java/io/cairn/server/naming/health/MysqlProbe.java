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
 * Asks a database, on {@value #THREADS} threads of its own, which end when idle; who asks for no more than that at a time
 * seldom waits for one. The time is limited for the connection and for each read; a server that sends its answer byte by
 * byte holds a thread longer, but the result is there after {@value #ANSWER_MILLIS} ms.
 */
final class MysqlProbe implements AutoCloseable {

    /** How long the target may take in all. */
    static final int ANSWER_MILLIS = 4_000;

    /** How many databases are asked at a time. */
    static final int THREADS = 4;

    private static final int READ_MILLIS = 1_000;
    private static final int CLOSE_MILLIS = 3_000;
    /** What is part of an address or a name, and nothing that means something in a JDBC URL. */
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
                // For those who come while others still hold their threads, or that were told only now to be databases.
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
                    // The driver reads what a stranger sends; whatever comes of it, there is a result.
                    result.complete(ProbeResult.failed(e.toString()));
                } finally {
                    limit.cancel(false);
                }
            });
        } catch (RejectedExecutionException e) {
            return CompletableFuture.completedFuture(ProbeResult.unknown("too many checks of databases wait"));
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
        // The other side is whoever registered: it gets no files, no objects are made of what it sends, and what the
        // driver has to say goes into the result alone.
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

    /** What a failure says of the target. */
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
        // Only what the database itself says has a code. Troubles with the connection pass, such as too many of them.
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

    /** Loaded by the first check of a database. */
    private static final class Lazy {

        private static final NonRegisteringDriver DRIVER = newDriver();

        private static NonRegisteringDriver newDriver() {
            // Its thread looks for connections that nobody closed; here everybody does.
            System.setProperty("com.mysql.cj.disableAbandonedConnectionCleanup", "true");
            try {
                return new NonRegisteringDriver();
            } catch (SQLException e) {
                throw new IllegalStateException("the database driver does not start", e);
            }
        }
    }
}
