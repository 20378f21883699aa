package io.cairn.spring.config;

import java.beans.PropertyDescriptor;
import java.lang.reflect.Constructor;
import java.util.Collection;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.BeanUtils;
import org.springframework.beans.BeanWrapper;
import org.springframework.beans.PropertyAccessorFactory;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.core.annotation.AnnotatedElementUtils;

/** New instances of bound beans, with the default values of their properties. */
final class FreshInstance {

    private FreshInstance() {}

    /**
     * Creates another instance; null when the bean's class is not annotated itself or has no default constructor. A
     * {@code @Bean} method may have set other values.
     */
    static @Nullable Object of(Object bean) {
        Class<?> type = bean.getClass();
        if (AopUtils.isAopProxy(bean) || !AnnotatedElementUtils.hasAnnotation(type, ConfigurationProperties.class)) {
            return null;
        }
        for (Constructor<?> constructor : type.getDeclaredConstructors()) {
            if (constructor.getParameterCount() == 0) {
                return BeanUtils.instantiateClass(constructor);
            }
        }
        return null;
    }

    /**
     * Resets a property to its value in a fresh instance.
     *
     * @param property the name below the bean's prefix
     * @param index the element of the name to resolve in these instances
     * @return false when the property cannot be set
     */
    static boolean reset(Object live, Object fresh, ConfigurationPropertyName property, int index) {
        BeanWrapper to = PropertyAccessorFactory.forBeanPropertyAccess(live);
        BeanWrapper from = PropertyAccessorFactory.forBeanPropertyAccess(fresh);
        String wanted = property.getElement(index, Form.UNIFORM);
        for (PropertyDescriptor one : to.getPropertyDescriptors()) {
            String name = one.getName();
            if (uniform(name).equals(wanted) && to.isReadableProperty(name)) {
                Object before = to.getPropertyValue(name);
                Object without = from.getPropertyValue(name);
                if (index + 1 < property.getNumberOfElements()
                        && before != null
                        && without != null
                        && before.getClass() == without.getClass()
                        && !isWhole(before)) {
                    return reset(before, without, property, index + 1);
                }
                return replace(to, name, before, without);
            }
        }
        return true;
    }

    /** Compares names like Spring Boot, without case and dashes. */
    private static String uniform(String name) {
        return ConfigurationPropertyName.adapt(name, '.').getElement(0, Form.UNIFORM);
    }

    private static boolean isWhole(Object value) {
        return value instanceof Map
                || value instanceof Collection
                || value.getClass().isArray()
                || BeanUtils.isSimpleValueType(value.getClass());
    }

    @SuppressWarnings("unchecked")
    private static boolean replace(BeanWrapper to, String name, @Nullable Object before, @Nullable Object without) {
        if (to.isWritableProperty(name)) {
            to.setPropertyValue(name, without);
            return true;
        }
        // Without a setter, the entries of the existing collection are replaced.
        if (before instanceof Map && without instanceof Map) {
            ((Map<Object, Object>) before).clear();
            ((Map<Object, Object>) before).putAll((Map<Object, Object>) without);
            return true;
        }
        if (before instanceof Collection && without instanceof Collection) {
            ((Collection<Object>) before).clear();
            ((Collection<Object>) before).addAll((Collection<Object>) without);
            return true;
        }
        return false;
    }
}
