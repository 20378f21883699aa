package io.cairn.server.xds.stream;

import io.cairn.server.xds.resource.XdsType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A request ({@code envoy.service.discovery.v3.DiscoveryRequest} or {@code DeltaDiscoveryRequest}).
 *
 * @param names all subscribed names (SotW), or added names (delta)
 * @param dropped unsubscribed names; delta only
 * @param initialVersions by name, of an earlier stream; delta only
 * @param nonce of the acknowledged or refused response; else empty
 * @param error the reason of a refusal, or null
 */
record DiscoveryRequest(
        String typeUrl,
        List<String> names,
        List<String> dropped,
        Map<String, String> initialVersions,
        String nonce,
        @Nullable String error) {

    /** All resources of the type. */
    static final String ANY_NAME = "*";

    /** Whether a type's first request asks for all its resources. */
    boolean isForAll(XdsType type) {
        return type.isWholeInSotw() && names.isEmpty() || names.contains(ANY_NAME);
    }

    /** Distinct, without the wildcard. */
    Set<String> distinctNames() {
        Set<String> distinct = new HashSet<>(names);
        distinct.remove(ANY_NAME);
        return distinct;
    }

    /** Whether it has these names, beside the wildcard. */
    boolean hasNames(Set<String> known) {
        int counted = 0;
        for (String name : names) {
            if (!name.equals(ANY_NAME)) {
                counted++;
                if (!known.contains(name)) {
                    return false;
                }
            }
        }
        return counted == known.size();
    }

    /** The node in a stream's first request, or null. Reads nothing else. */
    static @Nullable XdsNode node(byte[] message, boolean delta) {
        int field = delta ? 1 : 2;
        MessageInput node = null;
        MessageInput in = new MessageInput(message);
        while (in.next()) {
            if (in.field() == field) {
                node = in.message();
            }
        }
        return node == null ? null : XdsNode.read(node);
    }

    /**
     * Reads a SotW request without its node.
     *
     * @throws XdsLimits.ExceededException for more names
     */
    static DiscoveryRequest readSotw(byte[] message, int maxNames) {
        MessageInput in = new MessageInput(message);
        List<String> names = null;
        String typeUrl = "";
        String nonce = "";
        String error = null;
        while (in.next()) {
            switch (in.field()) {
                case 3 -> names = add(names, in, maxNames);
                case 4 -> typeUrl = in.text();
                case 5 -> nonce = in.text();
                case 6 -> error = errorText(in.message());
                default -> {
                    // The version has no information beyond the nonce.
                }
            }
        }
        return new DiscoveryRequest(typeUrl, orNone(names), List.of(), Map.of(), nonce, error);
    }

    /**
     * Reads a delta request without its node.
     *
     * @throws XdsLimits.ExceededException for more names
     */
    static DiscoveryRequest readDelta(byte[] message, int maxNames) {
        MessageInput in = new MessageInput(message);
        String typeUrl = "";
        List<String> added = null;
        List<String> dropped = null;
        Map<String, String> versions = new HashMap<>(0);
        String nonce = "";
        String error = null;
        while (in.next()) {
            switch (in.field()) {
                case 2 -> typeUrl = in.text();
                case 3 -> added = add(added, in, maxNames);
                case 4 -> dropped = add(dropped, in, maxNames);
                case 5 -> {
                    mustHaveRoom(versions.size(), maxNames);
                    readVersion(in.message(), versions);
                }
                case 6 -> nonce = in.text();
                case 7 -> error = errorText(in.message());
                default -> {
                    // Resource locators are not served.
                }
            }
        }
        return new DiscoveryRequest(typeUrl, orNone(added), orNone(dropped), versions, nonce, error);
    }

    private static List<String> add(@Nullable List<String> names, MessageInput in, int maxNames) {
        List<String> all = names == null ? new ArrayList<>() : names;
        mustHaveRoom(all.size(), maxNames);
        all.add(name(in));
        return all;
    }

    private static void mustHaveRoom(int names, int maxNames) {
        if (names >= maxNames) {
            throw new XdsLimits.ExceededException("too many names of resources in one request", maxNames);
        }
    }

    private static String name(MessageInput in) {
        return in.text(XdsLimits.MAX_NAME_BYTES, "the name of a resource");
    }

    private static List<String> orNone(@Nullable List<String> names) {
        return names == null ? List.of() : names;
    }

    private static void readVersion(MessageInput entry, Map<String, String> versions) {
        String name = "";
        String version = "";
        while (entry.next()) {
            if (entry.field() == 1) {
                name = name(entry);
            } else if (entry.field() == 2) {
                version = entry.text(XdsLimits.MAX_NAME_BYTES, "the version of a resource");
            }
        }
        versions.put(name, version);
    }

    /** The text of {@code google.rpc.Status}. */
    private static String errorText(MessageInput status) {
        String text = "";
        while (status.next()) {
            if (status.field() == 2) {
                text = status.text();
            }
        }
        return text;
    }
}
