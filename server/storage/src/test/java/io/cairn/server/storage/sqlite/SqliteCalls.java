package io.cairn.server.storage.sqlite;

import io.cairn.server.storage.database.ConnectionSource;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.dynamic.loading.ClassLoadingStrategy;
import net.bytebuddy.implementation.InvocationHandlerAdapter;
import net.bytebuddy.matcher.ElementMatchers;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteConnection;
import org.sqlite.core.DB;
import org.sqlite.core.SafeStmtPtr;

/**
 * Connections to SQLite that note each statement that reaches the library: those that the server executes, and those that the
 * driver adds. The driver's access to the library is replaced by one that notes the call and passes it on. Thread-safe.
 */
final class SqliteCalls implements ConnectionSource {

    /** The result of a step after which the statement has ended. */
    private static final int DONE = 101;

    private static final Class<? extends DB> NOTING = subclassOfDriver();

    private final ConnectionSource real;
    private final List<String> executed = new CopyOnWriteArrayList<>();
    private final List<String> prepared = new CopyOnWriteArrayList<>();

    SqliteCalls(ConnectionSource real) {
        this.real = real;
    }

    /** The statements that were executed since the last {@link #clear()}, in their order. */
    List<String> executed() {
        return List.copyOf(executed);
    }

    /** The statements that were prepared since the last {@link #clear()}. */
    List<String> prepared() {
        return List.copyOf(prepared);
    }

    void clear() {
        executed.clear();
        prepared.clear();
    }

    @Override
    public Connection open() throws SQLException {
        Connection connection = real.open();
        try {
            Field library = field(SQLiteConnection.class, "db");
            library.set(connection, noting((DB) library.get(connection)));
            return connection;
        } catch (ReflectiveOperationException e) {
            throw new AssertionError("the driver has changed: its access to the library is elsewhere", e);
        }
    }

    private DB noting(DB library) throws ReflectiveOperationException, SQLException {
        DB noting = NOTING.getConstructor(String.class, String.class, SQLiteConfig.class)
                .newInstance(library.getUrl(), "", library.getConfig());
        field(NOTING, "calls").set(noting, new Calls(library, noting));
        noting.open("", 0);
        return noting;
    }

    private static Field field(Class<?> type, String name) throws NoSuchFieldException {
        Field field = type.getDeclaredField(name);
        field.setAccessible(true);
        return field;
    }

    /** The methods that reach the library are the abstract ones; some are visible within their package only. */
    private static Class<? extends DB> subclassOfDriver() {
        try {
            return new ByteBuddy()
                    .subclass(DB.class)
                    .name("org.sqlite.core.NotingDB")
                    .method(ElementMatchers.isAbstract())
                    .intercept(InvocationHandlerAdapter.toField("calls"))
                    .defineField("calls", InvocationHandler.class, Modifier.PUBLIC)
                    .make()
                    .load(
                            DB.class.getClassLoader(),
                            ClassLoadingStrategy.UsingLookup.of(
                                    MethodHandles.privateLookupIn(DB.class, MethodHandles.lookup())))
                    .getLoaded();
        } catch (IllegalAccessException e) {
            throw new AssertionError(e);
        }
    }

    /** Calls of one connection; the driver makes one at a time. */
    private final class Calls implements InvocationHandler {

        private final DB library;
        private final DB noting;
        private final Map<Long, String> texts = new HashMap<>();
        private final Set<Long> running = new HashSet<>();

        Calls(DB library, DB noting) {
            this.library = library;
            this.noting = noting;
        }

        @Override
        public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
            return switch (method.getName()) {
                // It is open already.
                case "_open" -> null;
                case "_exec" -> {
                    executed.add((String) arguments[0]);
                    yield pass(method, arguments);
                }
                case "prepare" -> {
                    SafeStmtPtr statement = (SafeStmtPtr) pass(method, arguments);
                    field(SafeStmtPtr.class, "db").set(statement, noting);
                    texts.put((Long) field(SafeStmtPtr.class, "ptr").get(statement), (String) arguments[0]);
                    prepared.add((String) arguments[0]);
                    yield statement;
                }
                case "step" -> {
                    Long statement = (Long) arguments[0];
                    if (running.add(statement)) {
                        executed.add(texts.getOrDefault(statement, "of before"));
                    }
                    Object result = pass(method, arguments);
                    if (result.equals(DONE)) {
                        running.remove(statement);
                    }
                    yield result;
                }
                case "reset", "finalize" -> {
                    running.remove((Long) arguments[0]);
                    yield pass(method, arguments);
                }
                default -> pass(method, arguments);
            };
        }

        private Object pass(Method method, Object[] arguments) throws Throwable {
            method.setAccessible(true);
            try {
                return method.invoke(library, arguments);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        }
    }
}
