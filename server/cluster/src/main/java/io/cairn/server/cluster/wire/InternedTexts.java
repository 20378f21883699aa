package io.cairn.server.cluster.wire;

import com.github.benmanes.caffeine.cache.Interner;
import io.cairn.api.naming.ServiceKey;

/**
 * One object for texts and services that many mirrored entries share: names and versions of SDKs, apps, keys of metadata, clusters,
 * services. The objects are held weakly, so nothing stays that no entry uses. Thread-safe.
 */
final class InternedTexts {

    private static final Interner<String> TEXTS = Interner.newWeakInterner();
    private static final Interner<ServiceKey> SERVICES = Interner.newWeakInterner();

    private InternedTexts() {}

    static String of(String text) {
        return TEXTS.intern(text);
    }

    static ServiceKey of(ServiceKey service) {
        return SERVICES.intern(service);
    }
}
