package io.cairn.spring.config;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.beans.BeansException;
import org.springframework.boot.context.properties.ConfigurationPropertiesBean;
import org.springframework.boot.context.properties.ConfigurationPropertiesBindingPostProcessor;
import org.springframework.boot.context.properties.bind.BindMethod;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Binds {@code @ConfigurationProperties} beans with setters again after a change of their properties. A removed property
 * gets its default from a new instance of the class. No lifecycle callback is called. When validation rejects the values,
 * the bean keeps its old values if a new instance could be created for the attempt.
 */
public final class PropertiesRebinder implements Rebinder {

    private static final Log log = LogFactory.getLog(PropertiesRebinder.class);

    private final ConfigurableApplicationContext context;

    public PropertiesRebinder(ConfigurableApplicationContext context) {
        this.context = context;
    }

    @Override
    public void rebind(Set<String> names) {
        ConfigurationPropertiesBean.getAll(context).forEach((name, bean) -> {
            ConfigurationPropertyName prefix =
                    ConfigurationPropertyName.adapt(bean.getAnnotation().prefix(), '.');
            List<ConfigurationPropertyName> vanished = new ArrayList<>();
            boolean concerned = false;
            for (String one : names) {
                ConfigurationPropertyName property = ConfigurationPropertyName.adapt(one, '.');
                if (prefix.isEmpty() || prefix.isAncestorOf(property)) {
                    concerned = true;
                    if (!context.getEnvironment().containsProperty(one)) {
                        vanished.add(property.subName(prefix.getNumberOfElements()));
                    }
                }
            }
            if (concerned) {
                rebind(name, bean, vanished);
            }
        });
    }

    private void rebind(String name, ConfigurationPropertiesBean bean, List<ConfigurationPropertyName> vanished) {
        Object instance = bean.getInstance();
        String type = instance.getClass().getName();
        if (bean.asBindTarget().getBindMethod() == BindMethod.VALUE_OBJECT) {
            log.warn(type + " is bound through its constructor and keeps its values until a restart");
            return;
        }
        try {
            Object fresh = FreshInstance.of(instance);
            if (fresh != null) {
                bind(fresh, name);
            }
            for (ConfigurationPropertyName property : vanished) {
                Object defaults = FreshInstance.of(instance);
                if (defaults == null || !FreshInstance.reset(instance, defaults, property, 0)) {
                    log.warn(type + " keeps the value of " + property + " until a restart, though it is gone");
                }
            }
            bind(instance, name);
        } catch (RuntimeException e) {
            log.error(type + " could not take its new values", e);
        }
    }

    /** This post-processor only binds and validates. */
    private void bind(Object instance, String name) throws BeansException {
        Objects.requireNonNull(
                context.getBean(ConfigurationPropertiesBindingPostProcessor.class)
                        .postProcessBeforeInitialization(instance, name),
                "a bound bean");
    }
}
