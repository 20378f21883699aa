package io.cairn.server.http.core;

import io.cairn.server.namespace.NamespaceInfo;
import org.jspecify.annotations.Nullable;

/**
 * A namespace, in all versions.
 *
 * @param quota the most configurations
 * @param configCount the configurations that the caller may read
 * @param type 0 for the default namespace
 */
public record NamespaceEntry(
        String namespace,
        String namespaceShowName,
        @Nullable String namespaceDesc,
        long quota,
        long configCount,
        int type) {

    /**
     * @param defaultId the id of the default namespace
     * @param description null without one
     * @param createdType the number of created namespaces
     */
    public static NamespaceEntry of(
            NamespaceInfo info, String defaultId, @Nullable String description, int createdType) {
        boolean isDefault = info.namespace().isDefault();
        return new NamespaceEntry(
                isDefault ? defaultId : info.namespace().id(),
                info.name(),
                description,
                info.quota(),
                info.configCount(),
                isDefault ? 0 : createdType);
    }
}
