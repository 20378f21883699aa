package io.cairn.spring.config;

import java.util.Set;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.boot.context.properties.ConfigurationPropertiesBean;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Binds {@code @ConfigurationProperties} beans with setters anew when one of their properties has changed. What is bound
 * through a constructor cannot change; such a bean is named in the log once a change would concern it.
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
            if (concerns(bean.getAnnotation().prefix(), names)) {
                rebind(name, bean.getInstance());
            }
        });
    }

    private void rebind(String name, Object bean) {
        if (bean.getClass().isRecord()) {
            log.warn(bean.getClass().getName() + " is a record and keeps its values until a restart");
            return;
        }
        try {
            context.getAutowireCapableBeanFactory().initializeBean(bean, name);
        } catch (RuntimeException e) {
            log.error(bean.getClass().getName() + " could not take its new values: " + e.getMessage());
        }
    }

    private static boolean concerns(String prefix, Set<String> names) {
        ConfigurationPropertyName ancestor = ConfigurationPropertyName.adapt(prefix, '.');
        return names.stream()
                .map(name -> ConfigurationPropertyName.adapt(name, '.'))
                .anyMatch(name -> ancestor.isEmpty() || ancestor.isAncestorOf(name));
    }
}
