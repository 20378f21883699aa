package io.cairn.server.storage.writer;

import io.cairn.server.storage.database.ConnectionSource;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

/** Real connections to a database that fail when they are told to. Thread-safe. */
public final class FaultyConnections implements ConnectionSource {

    private final ConnectionSource real;
    private final Queue<Fault> faults = new ConcurrentLinkedQueue<>();
    private final AtomicInteger opened = new AtomicInteger();
    private final AtomicInteger executed = new AtomicInteger();
    private volatile SQLException unreachable;
    private volatile Connection last;

    public FaultyConnections(ConnectionSource real) {
        this.real = real;
    }

    /** A failure of the next statement that begins with that text. */
    private record Fault(String statement, boolean executed, Throwable thrown) {}

    /** The next COMMIT arrives, but its answer does not. */
    public void loseTheAnswerToCommit() {
        faults.add(new Fault("COMMIT", true, new SQLException("connection reset")));
    }

    /** The next COMMIT does not arrive. */
    public void failCommit() {
        faults.add(new Fault("COMMIT", false, new SQLException("connection refused")));
    }

    /** The next statement that begins with that text is not executed and throws. */
    public void fail(String statement, Throwable failure) {
        faults.add(new Fault(statement, false, failure));
    }

    /** No connection can be opened until {@link #reachable()}. */
    public void unreachable(String because) {
        unreachable = new SQLException(because);
    }

    public void reachable() {
        unreachable = null;
    }

    /** Connections opened so far. */
    public int opened() {
        return opened.get();
    }

    /** The connection that was opened last, which neither counts nor fails. */
    public Connection last() {
        return last;
    }

    /** Statements executed so far. */
    public int executed() {
        return executed.get();
    }

    /** The failure that SQLite reports when the disk is gone. */
    public static SQLException brokenDisk() {
        return new SQLiteException("disk I/O error", SQLiteErrorCode.SQLITE_IOERR);
    }

    @Override
    public Connection open() throws SQLException {
        SQLException failure = unreachable;
        if (failure != null) {
            throw failure;
        }
        opened.incrementAndGet();
        Connection connection = real.open();
        last = connection;
        return proxy(Connection.class, (proxy, method, arguments) -> {
            if (method.getName().equals("commit")) {
                return executed("COMMIT", connection, method, arguments);
            }
            Object result = call(connection, method, arguments);
            if (method.getName().equals("prepareStatement")) {
                return statement((PreparedStatement) result, (String) arguments[0]);
            }
            if (method.getName().equals("createStatement")) {
                return statement((Statement) result, null);
            }
            return result;
        });
    }

    private Statement statement(Statement statement, String preparedSql) {
        Class<? extends Statement> type = preparedSql == null ? Statement.class : PreparedStatement.class;
        return proxy(type, (proxy, method, arguments) -> {
            if (!method.getName().startsWith("execute")) {
                return call(statement, method, arguments);
            }
            return executed(preparedSql == null ? (String) arguments[0] : preparedSql, statement, method, arguments);
        });
    }

    private Object executed(String sql, Object target, Method method, Object[] arguments) throws Throwable {
        executed.incrementAndGet();
        Fault fault = due(sql);
        if (fault == null) {
            return call(target, method, arguments);
        }
        if (fault.executed()) {
            call(target, method, arguments);
        }
        throw fault.thrown();
    }

    private Fault due(String sql) {
        for (Fault fault : faults) {
            if (sql.startsWith(fault.statement()) && faults.remove(fault)) {
                return fault;
            }
        }
        return null;
    }

    private static Object call(Object target, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }
}
