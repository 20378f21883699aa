package io.cairn.spring.config;

import io.cairn.api.config.ConfigKey;
import java.util.Set;
import org.springframework.context.ApplicationEvent;

/** A configuration has changed properties of the environment; published after the change is visible. */
public final class CairnConfigChangedEvent extends ApplicationEvent {

    private static final long serialVersionUID = 1;

    private final transient ConfigKey key;
    private final Set<String> names;

    CairnConfigChangedEvent(Object source, ConfigKey key, Set<String> names) {
        super(source);
        this.key = key;
        this.names = Set.copyOf(names);
    }

    public ConfigKey key() {
        return key;
    }

    /** The properties that were changed, added or removed. */
    public Set<String> names() {
        return names;
    }
}
