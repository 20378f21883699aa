package io.cairn.junit.isolation;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A server in a separate class loader. All servers of a JVM share the loader, so only the first start loads the classes.
 * Thread-safe.
 */
public final class IsolatedServer implements AutoCloseable {

    /** The system properties set by the server and its frameworks; other properties set during a start are kept. */
    private static final Pattern SERVERS_PROPERTIES = Pattern.compile("((CONSOLE_|FILE_)?LOG_|LOGGED_|LOGBACK_).*|PID"
            + "|java\\.awt\\.headless|polyglot\\..*|org\\.sqlite\\..*|com\\.mysql\\.cj\\..*");

    /** Serializes starts, so that a start removes its own properties only. */
    private static final Object STARTING = new Object();

    private final Object server;
    private final int httpPort;

    private IsolatedServer(Object server, int httpPort) {
        this.server = server;
        this.httpPort = httpPort;
    }

    /**
     * Starts a server on loopback.
     *
     * @param httpPort 0 for any port that is free together with port + 1000
     * @param settings as in application.properties; they override all other sources
     * @throws IllegalStateException with the server's error text
     */
    public static IsolatedServer start(Path home, int httpPort, Map<String, String> settings) {
        synchronized (STARTING) {
            return startAlone(home, httpPort, settings);
        }
    }

    private static IsolatedServer startAlone(Path home, int httpPort, Map<String, String> settings) {
        ClassLoader loader = loader();
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        Properties properties = (Properties) System.getProperties().clone();
        thread.setContextClassLoader(loader);
        try (LoadingAhead ahead = Holder.ahead()) {
            Class<?> type = Class.forName("io.cairn.server.CairnServer", true, loader);
            Object builder = type.getMethod("builder").invoke(null);
            Class<?> builderType = builder.getClass();
            builderType.getMethod("home", Path.class).invoke(builder, home);
            Method setting = builderType.getMethod("setting", String.class, String.class);
            setting.invoke(builder, "server.address", "127.0.0.1");
            setting.invoke(builder, "server.port", Integer.toString(httpPort));
            setting.invoke(builder, "logging.threshold.console", "WARN");
            // A test stops the server without waiting for its clients to move.
            setting.invoke(builder, "cairn.shutdown.drain", "0s");
            for (Map.Entry<String, String> entry : settings.entrySet()) {
                setting.invoke(builder, entry.getKey(), entry.getValue());
            }
            Object server = builderType.getMethod("start").invoke(builder);
            return new IsolatedServer(
                    server, (Integer) type.getMethod("httpPort").invoke(server));
        } catch (InvocationTargetException e) {
            throw new IllegalStateException("The Cairn server did not start: " + words(e), e.getCause());
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("The server in this jar is not the one that it was made for", e);
        } finally {
            thread.setContextClassLoader(before);
            removePropertiesSetSince(properties);
        }
    }

    static ServerLoader loader() {
        return Holder.LOADER;
    }

    public static List<Path> jars() {
        return ServerJars.unpacked().jars();
    }

    public static @Nullable Path cachedJars() {
        return ServerJars.unpacked().cached();
    }

    /** The message for users, otherwise the message of the innermost cause. */
    private static String words(Throwable failure) {
        Throwable root = failure;
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            root = cause;
            if (cause.getClass().getName().equals("io.cairn.api.error.CairnException")) {
                break;
            }
        }
        return String.valueOf(root.getMessage());
    }

    /** Removes system properties that another Spring application in the test would read. */
    private static void removePropertiesSetSince(Properties before) {
        for (String name : System.getProperties().stringPropertyNames()) {
            if (!before.containsKey(name) && SERVERS_PROPERTIES.matcher(name).matches()) {
                System.clearProperty(name);
            }
        }
    }

    public int httpPort() {
        return httpPort;
    }

    /** Stops the server; returns after its end. A second call does nothing. */
    @Override
    public void close() {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(Holder.LOADER);
        try {
            server.getClass().getMethod("close").invoke(server);
        } catch (InvocationTargetException e) {
            throw new IllegalStateException("The Cairn server did not stop: " + words(e), e.getCause());
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("The server in this jar is not the one that it was made for", e);
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    private static final class Holder {
        static final ServerLoader LOADER = ServerJars.unpacked().newLoader();
        private static final AtomicBoolean STARTED = new AtomicBoolean();

        /** Null after the first start and without a pack. */
        static @Nullable LoadingAhead ahead() {
            return STARTED.compareAndSet(false, true)
                    ? LOADER.pack()
                            .map(pack -> LoadingAhead.start(LOADER, pack))
                            .orElse(null)
                    : null;
        }
    }
}
