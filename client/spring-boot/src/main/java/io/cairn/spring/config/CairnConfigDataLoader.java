package io.cairn.spring.config;

import io.cairn.api.error.CairnException;
import io.cairn.client.CairnClient;
import io.cairn.client.config.ConfigContent;
import io.cairn.client.connection.Origin;
import java.io.IOException;
import java.util.Optional;
import org.apache.commons.logging.Log;
import org.springframework.boot.context.config.ConfigData;
import org.springframework.boot.context.config.ConfigDataLoader;
import org.springframework.boot.context.config.ConfigDataLoaderContext;
import org.springframework.boot.context.config.ConfigDataResourceNotFoundException;
import org.springframework.boot.logging.DeferredLogFactory;

/**
 * Created once per application, so that all imports share one client, which passes to the context with the property
 * sources.
 */
public final class CairnConfigDataLoader implements ConfigDataLoader<ImportedConfig> {

    private final Log log;
    private final SharedClient client = new SharedClient();

    public CairnConfigDataLoader(DeferredLogFactory logs) {
        this.log = logs.getLog(CairnConfigDataLoader.class);
    }

    /**
     * An optional configuration that is missing or unreadable is empty; its content is added when it becomes available.
     *
     * @throws ConfigDataResourceNotFoundException when the configuration does not exist
     */
    @Override
    public ConfigData load(ConfigDataLoaderContext context, ImportedConfig resource) throws IOException {
        boolean goesOn = false;
        try {
            String text = text(resource);
            ConfigData data = new ConfigData(new ImportedProperties(resource, client).read(text));
            goesOn = true;
            return data;
        } catch (CairnException e) {
            if (resource.optional()) {
                // Without a client, changes cannot be watched.
                log.warn(resource + " is left out: " + e.getMessage());
                throw new ConfigDataResourceNotFoundException(resource, e);
            }
            throw new IOException(resource + ": " + e.getMessage(), e);
        } finally {
            if (!goesOn) {
                // The start fails, and no other code closes the client.
                client.close();
            }
        }
    }

    private String text(ImportedConfig resource) {
        CairnClient running = client.get(resource);
        Optional<ConfigContent> found;
        try {
            found = running.configs().get(resource.key());
        } catch (CairnException e) {
            if (!resource.optional()) {
                throw e;
            }
            log.warn(resource + " is left out until it can be had: " + e.getMessage());
            return "";
        }
        if (found.isEmpty()) {
            if (!resource.optional()) {
                throw new ConfigDataResourceNotFoundException(resource);
            }
            return "";
        }
        ConfigContent content = found.get();
        if (content.origin() == Origin.SNAPSHOT) {
            log.warn(resource + " is a snapshot, " + content.age().toSeconds() + " s old: no server answers");
        }
        return content.text();
    }
}
