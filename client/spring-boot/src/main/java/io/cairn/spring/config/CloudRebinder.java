package io.cairn.spring.config;

import java.util.Set;
import org.springframework.cloud.context.environment.EnvironmentChangeEvent;
import org.springframework.cloud.context.scope.refresh.RefreshScope;
import org.springframework.context.ApplicationContext;

/** Uses the rebinding and the refresh scope of Spring Cloud. */
public final class CloudRebinder implements Rebinder {

    private final ApplicationContext context;

    public CloudRebinder(ApplicationContext context) {
        this.context = context;
    }

    @Override
    public void rebind(Set<String> names) {
        context.publishEvent(new EnvironmentChangeEvent(context, names));
        context.getBeanProvider(RefreshScope.class).ifAvailable(RefreshScope::refreshAll);
    }
}
