package io.cairn.server.storage.postgresql;

import io.cairn.server.storage.server.OneConnection;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.Set;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Data source of a connection whose transaction only its owner ends. */
final class OneTransaction {

    private static final Set<String> IGNORED = Set.of("commit", "setAutoCommit");

    private OneTransaction() {}

    static DataSource of(Connection connection) {
        return new OneConnection((Connection) Proxy.newProxyInstance(
                OneTransaction.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, arguments) -> call(connection, method, arguments)));
    }

    private static @Nullable Object call(Connection connection, Method method, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        if (IGNORED.contains(method.getName())) {
            return null;
        }
        try {
            return method.invoke(connection, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
