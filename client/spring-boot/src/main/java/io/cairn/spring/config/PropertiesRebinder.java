package io.cairn.spring.config;

import java.util.Map;
import java.util.Set;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.aop.support.AopUtils;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.annotation.AnnotatedElementUtils;

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
        for (Map.Entry<String, Object> bean :
                context.getBeansWithAnnotation(ConfigurationProperties.class).entrySet()) {
            Class<?> type = AopUtils.getTargetClass(bean.getValue());
            ConfigurationProperties annotation =
                    AnnotatedElementUtils.findMergedAnnotation(type, ConfigurationProperties.class);
            if (annotation == null || !concerns(annotation.prefix(), names)) {
                continue;
            }
            if (type.isRecord()) {
                log.warn(type.getName() + " is a record and keeps its values until a restart");
                continue;
            }
            try {
                context.getAutowireCapableBeanFactory().initializeBean(bean.getValue(), bean.getKey());
            } catch (RuntimeException e) {
                log.error(type.getName() + " could not take its new values: " + e.getMessage());
            }
        }
    }

    private static boolean concerns(String prefix, Set<String> names) {
        ConfigurationPropertyName ancestor = ConfigurationPropertyName.adapt(prefix, '.');
        return names.stream()
                .map(name -> ConfigurationPropertyName.adapt(name, '.'))
                .anyMatch(name -> ancestor.isEmpty() || ancestor.isAncestorOf(name));
    }
}
