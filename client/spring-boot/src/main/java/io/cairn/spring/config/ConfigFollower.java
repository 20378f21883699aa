package io.cairn.spring.config;

import io.cairn.api.config.ConfigKey;
import io.cairn.client.config.ConfigContent;
import io.cairn.client.config.ConfigListener;
import io.cairn.client.config.ConfigWatch;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.SmartLifecycle;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.PropertySource;

/**
 * Watches the imported configurations while the application runs. A change updates the environment, then the bound beans,
 * and then publishes a {@link CairnConfigChangedEvent}. An unreadable content is logged and changes nothing. Changes are
 * processed in sequence on the client's callback thread; slow listeners delay neither the start nor the end of the
 * application.
 */
public final class ConfigFollower implements SmartLifecycle {

    private static final Log log = LogFactory.getLog(ConfigFollower.class);

    private final Set<ImportedProperties> imported = new LinkedHashSet<>();
    private final Rebinder rebinder;
    private final ApplicationEventPublisher events;
    /** Guarded by this. */
    private final List<ConfigWatch> watches = new ArrayList<>();

    private volatile boolean running;

    public ConfigFollower(ConfigurableEnvironment environment, Rebinder rebinder, ApplicationEventPublisher events) {
        this.rebinder = rebinder;
        this.events = events;
        for (PropertySource<?> source : environment.getPropertySources()) {
            if (source.getSource() instanceof ImportedProperties properties) {
                imported.add(properties);
            }
        }
    }

    /** Empty without imports. */
    public static Optional<SharedClient> clientOf(ConfigurableEnvironment environment) {
        return environment.getPropertySources().stream()
                .map(PropertySource::getSource)
                .filter(ImportedProperties.class::isInstance)
                .map(source -> ((ImportedProperties) source).client())
                .findFirst();
    }

    @Override
    public synchronized void start() {
        running = true;
        for (ImportedProperties properties : imported) {
            watches.add(properties.client().client().configs().watch(properties.key(), new ConfigListener() {
                @Override
                public void onContent(ConfigContent content) {
                    changed(properties, content);
                }

                @Override
                public void onAbsent(ConfigKey key) {
                    if (!properties.isEmpty()) {
                        log.warn(key + " has been deleted; its properties stay until this application ends");
                    }
                }
            }));
        }
    }

    /** Holds no lock: a listener may wait for the thread that ends the application. */
    private void changed(ImportedProperties properties, ConfigContent content) {
        if (!running) {
            return;
        }
        try {
            Set<String> names = properties.change(content.text());
            if (properties.outgrown(content.text())) {
                log.warn(properties.key() + " has documents that it had not at the start; they come with a restart");
            }
            if (names.isEmpty()) {
                return;
            }
            log.info(properties.key() + " has changed: " + names);
            try {
                rebinder.rebind(names);
            } finally {
                // The environment has changed, even if a bean rejected its values.
                events.publishEvent(new CairnConfigChangedEvent(this, properties.key(), names));
            }
        } catch (IOException e) {
            log.error("A new version of " + properties.key() + " is not taken: " + e.getMessage());
        }
    }

    @Override
    public synchronized void stop() {
        running = false;
        watches.forEach(ConfigWatch::close);
        watches.clear();
    }

    @Override
    public boolean isRunning() {
        return running;
    }
}
