package io.cairn.spring.config;

import java.util.Optional;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.support.DefaultSingletonBeanRegistry;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Closes the client of the imports with the context, also when the application defines its own client or disables the
 * starter.
 */
public final class OwnedClient implements ApplicationContextInitializer<ConfigurableApplicationContext> {

    @Override
    public void initialize(ConfigurableApplicationContext context) {
        Optional<SharedClient> imports = ConfigFollower.clientOf(context.getEnvironment());
        imports.ifPresent(SharedClient::handedOver);
        imports.filter(SharedClient::own)
                // Registered before all other beans, and destroyed after them.
                .ifPresent(client -> ((DefaultSingletonBeanRegistry) context.getBeanFactory())
                        .registerDisposableBean("cairnImportsClient", (DisposableBean) client::close));
    }
}
