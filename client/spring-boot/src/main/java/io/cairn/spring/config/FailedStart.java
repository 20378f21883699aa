package io.cairn.spring.config;

import org.springframework.boot.context.event.ApplicationFailedEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;

/** Closes the client of the imports when the start of the application fails. */
public final class FailedStart implements ApplicationListener<ApplicationFailedEvent> {

    @Override
    public void onApplicationEvent(ApplicationFailedEvent event) {
        ConfigurableApplicationContext context = event.getApplicationContext();
        if (context != null) {
            ConfigFollower.clientOf(context.getEnvironment()).ifPresent(SharedClient::close);
        } else {
            SharedClient.endStart();
        }
    }
}
