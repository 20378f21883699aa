package io.cairn.server.http.core;

import io.cairn.server.namespace.NamespaceInfo;
import org.jspecify.annotations.Nullable;

/**
 * A namespace, as all versions write it.
 *
 * @param namespace its id
 * @param quota the most configurations that it may hold
 * @param configCount the configurations in it that the caller may read
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
     * @param defaultId the spelling of the id of the default namespace
     * @param description null where there is none
     * @param createdType the number for namespaces that were created
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
