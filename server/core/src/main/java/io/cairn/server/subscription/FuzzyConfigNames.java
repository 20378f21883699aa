package io.cairn.server.subscription;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.Namespace;
import io.cairn.api.fuzzy.FuzzyPattern;
import io.cairn.api.wire.config.GroupKey;
import io.cairn.server.auth.ReadScope;
import io.cairn.server.config.ConfigView;
import io.cairn.server.subscription.fuzzy.FuzzyNames;
import java.util.function.Consumer;

/** The configurations for patterns; a gray release alone does not count. */
public final class FuzzyConfigNames implements FuzzyNames<ConfigKey> {

    private final ConfigView view;

    public FuzzyConfigNames(ConfigView view) {
        this.view = view;
    }

    @Override
    public void forEach(Namespace namespace, Consumer<ConfigKey> consumer) {
        view.forEach(entry -> {
            if (entry.key().namespace().equals(namespace)) {
                consumer.accept(entry.key());
            }
        });
    }

    @Override
    public boolean isPresent(ConfigKey key) {
        return view.entry(key) != null;
    }

    @Override
    public boolean matches(FuzzyPattern pattern, ConfigKey key) {
        return pattern.matches(key.namespace(), key.group(), key.dataId());
    }

    @Override
    public boolean isVisible(ReadScope visible, ConfigKey name) {
        return visible.has(name);
    }

    @Override
    public String spelled(ConfigKey key) {
        return GroupKey.spelled(key);
    }
}
