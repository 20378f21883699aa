package io.cairn.server.cluster.replication;

import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;

/**
 * The part of one entry in the digest of a node's entries. The digest is the XOR of these parts, so a change has a constant cost.
 * Uses the hash codes of texts, which Java defines and strings cache.
 */
final class EntryDigest {

    private EntryDigest() {}

    static long ofPublication(String publisherId, ServiceKey service, long sequence) {
        return mixed((mixed(publisherId.hashCode()) ^ ofService(service)) + mixed(sequence));
    }

    static long ofCheck(ServiceKey service, InstanceKey instance, long sequence) {
        long key = mixed(instance.ip().hashCode()) ^ mixed(instance.cluster().hashCode() * 65_537L + instance.port());
        return mixed((mixed(key) ^ ofService(service)) + mixed(sequence));
    }

    private static long ofService(ServiceKey service) {
        return mixed(service.name().hashCode())
                + 31 * mixed(service.group().hashCode())
                + 961 * mixed(service.namespace().id().hashCode());
    }

    /** The finalizer of SplitMix64. */
    private static long mixed(long value) {
        long mixed = value + 0x9e3779b97f4a7c15L;
        mixed = (mixed ^ mixed >>> 30) * 0xbf58476d1ce4e5b9L;
        mixed = (mixed ^ mixed >>> 27) * 0x94d049bb133111ebL;
        return mixed ^ mixed >>> 31;
    }
}
