package io.cairn.server.wiring;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.context.logging.LoggingApplicationListener;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.ApplicationListener;

/**
 * Configures logging for one server of this JVM at a time. All servers of a JVM share one Logback context, whose lists are not
 * thread-safe: two concurrent starts could fail with a {@code ConcurrentModificationException}.
 */
final class ExclusiveLoggingSetup extends LoggingApplicationListener {

    private static final Object LOGBACK = new Object();

    static void in(SpringApplication application) {
        application.setListeners(application.getListeners().stream()
                .<ApplicationListener<?>>map(listener ->
                        listener instanceof LoggingApplicationListener ? new ExclusiveLoggingSetup() : listener)
                .toList());
    }

    @Override
    public void onApplicationEvent(ApplicationEvent event) {
        synchronized (LOGBACK) {
            super.onApplicationEvent(event);
        }
    }
}
