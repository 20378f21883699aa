package io.cairn.spring.config;

import io.cairn.api.config.ConfigKey;
import java.util.Set;
import org.springframework.context.ApplicationEvent;

/** Properties of the environment have changed with a configuration; published after it shows them. */
public final class CairnConfigChangedEvent extends ApplicationEvent {

    private static final long serialVersionUID = 1;

    private final transient ConfigKey key;
    private final Set<String> names;

    CairnConfigChangedEvent(Object source, ConfigKey key, Set<String> names) {
        super(source);
        this.key = key;
        this.names = Set.copyOf(names);
    }

    /** The configuration. */
    public ConfigKey key() {
        return key;
    }

    /** The properties that have another value now, or none. */
    public Set<String> names() {
        return names;
    }
}
