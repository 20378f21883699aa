package io.cairn.spring.config;

import java.util.Set;

/** Updates the beans that are bound to changed properties. */
@FunctionalInterface
public interface Rebinder {

    /** @param names changed, added or removed in the environment */
    void rebind(Set<String> names);
}
