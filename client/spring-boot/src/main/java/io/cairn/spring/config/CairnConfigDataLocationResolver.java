package io.cairn.spring.config;

import java.util.List;
import org.springframework.boot.context.config.ConfigDataLocation;
import org.springframework.boot.context.config.ConfigDataLocationResolver;
import org.springframework.boot.context.config.ConfigDataLocationResolverContext;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;

/** Resolves {@code spring.config.import=cairn:...}. */
public final class CairnConfigDataLocationResolver implements ConfigDataLocationResolver<ImportedConfig> {

    private static final String PREFIX = "cairn:";

    @Override
    public boolean isResolvable(ConfigDataLocationResolverContext context, ConfigDataLocation location) {
        return location.hasPrefix(PREFIX);
    }

    @Override
    public List<ImportedConfig> resolve(ConfigDataLocationResolverContext context, ConfigDataLocation location) {
        Binder binder = context.getBinder();
        CairnClientProperties properties =
                binder.bindOrCreate(CairnClientProperties.PREFIX, Bindable.of(CairnClientProperties.class));
        return List.of(ImportedConfig.parse(
                location.getNonPrefixedValue(PREFIX), properties, Application.of(binder), location.isOptional()));
    }
}
