package io.cairn.server.cluster.wire;

import com.github.benmanes.caffeine.cache.Interner;
import io.cairn.api.naming.ServiceKey;

/**
 * Shares texts and services of many mirrored entries: names and versions of SDKs, apps, keys of metadata, clusters, services. Weak
 * references, so unused objects are collected.
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
