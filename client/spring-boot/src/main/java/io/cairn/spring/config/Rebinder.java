package io.cairn.spring.config;

import java.util.Set;

/** Brings changed properties to the beans that are bound to them. */
@FunctionalInterface
public interface Rebinder {

    /** @param names the properties that have another value now, or none any more; the environment shows it already */
    void rebind(Set<String> names);
}
