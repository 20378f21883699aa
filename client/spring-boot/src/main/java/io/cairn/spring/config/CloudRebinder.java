package io.cairn.spring.config;

import java.util.Set;
import org.springframework.cloud.context.environment.EnvironmentChangeEvent;
import org.springframework.cloud.context.scope.refresh.RefreshScope;
import org.springframework.context.ApplicationContext;

/** Where there is Spring Cloud, what it has for changed properties is used: its rebinding and its refresh scope. */
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
