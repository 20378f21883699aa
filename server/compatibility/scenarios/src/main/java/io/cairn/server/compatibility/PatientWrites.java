package io.cairn.server.compatibility;

import com.alibaba.nacos.api.config.ConfigService;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A client that repeats a publish or a removal without an answer. Generation 1 gives up after a constant of 3 s and then returns {@code
 * false}, as for a refusal; later generations read the limit from a property ({@code configRequestTimeout}). A refusal is quicker, and is
 * returned at once. Generation 3 throws {@link RejectedExecutionException} when the first connection of a new client ends during a call.
 */
final class PatientWrites implements InvocationHandler {
    private static final Set<String> REPEATABLE = Set.of("publishConfig", "removeConfig");
    private static final long PAUSE_MILLIS = 25;
    private static final Duration NO_ANSWER = Duration.ofMillis(2900);

    private final ConfigService client;
    private final Duration limit;

    private PatientWrites(ConfigService client, Duration limit) {
        this.client = client;
        this.limit = limit;
    }

    /** The client itself where the tests keep its own limit. */
    static ConfigService of(ConfigService client) {
        int limitMs = Integer.getInteger("configRequestTimeout", -1);
        if (limitMs <= 0) {
            return client;
        }
        return (ConfigService) Proxy.newProxyInstance(
                ConfigService.class.getClassLoader(),
                new Class<?>[] {ConfigService.class},
                new PatientWrites(client, Duration.ofMillis(limitMs)));
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        boolean repeats = REPEATABLE.contains(method.getName());
        long began = System.nanoTime();
        while (true) {
            boolean isLast = !repeats || since(began).compareTo(limit) >= 0;
            long attempt = System.nanoTime();
            try {
                Object result = method.invoke(client, arguments);
                boolean unanswered =
                        Boolean.FALSE.equals(result) && since(attempt).compareTo(NO_ANSWER) >= 0;
                if (!unanswered || isLast) {
                    return result;
                }
            } catch (InvocationTargetException e) {
                if (!(e.getCause() instanceof RejectedExecutionException) || isLast) {
                    throw e.getCause();
                }
                TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
            }
        }
    }

    private static Duration since(long nanos) {
        return Duration.ofNanos(System.nanoTime() - nanos);
    }
}
