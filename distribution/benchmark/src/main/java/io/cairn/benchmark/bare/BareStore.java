package io.cairn.benchmark.bare;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.cairn.benchmark.wire.Envelope;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Contents by data id, with their answers ready to be sent, and who listens. Groups and namespaces are ignored. */
final class BareStore {
    private final Map<String, Stored> configs = new ConcurrentHashMap<>();
    private final Map<String, Set<Listener>> listeners = new ConcurrentHashMap<>();

    /** One stored content: raw, its digest, and the whole answer of a gRPC query. */
    record Stored(byte[] content, String md5, byte[] answer) {}

    /** Wants to know when a config is not what it was. */
    interface Listener {
        void changed(String dataId);
    }

    /** Keeps the content as it stands in JSON; of the escapes only the line feed is understood. */
    void publish(String dataId, String escapedContent) {
        byte[] content = escapedContent.replace("\\n", "\n").getBytes(UTF_8);
        String md5 = md5(content);
        byte[] answer = Envelope.write(
                "ConfigQueryResponse",
                "{\"resultCode\":200,\"errorCode\":0,\"content\":\"" + escapedContent
                        + "\",\"encryptedDataKey\":\"\",\"contentType\":\"text\",\"md5\":\"" + md5
                        + "\",\"lastModified\":1700000000000,\"beta\":false,\"success\":true}");
        configs.put(dataId, new Stored(content, md5, answer));
        Set<Listener> waiting = listeners.get(dataId);
        if (waiting != null) {
            waiting.forEach(listener -> listener.changed(dataId));
        }
    }

    void remove(String dataId) {
        configs.remove(dataId);
    }

    @Nullable
    Stored find(String dataId) {
        return configs.get(dataId);
    }

    /** Names that match, with {@code *} for anything; no order is kept. */
    List<String> search(String pattern, int skipped, int most) {
        Pattern wanted = Pattern.compile(
                Arrays.stream(pattern.split("\\*", -1)).map(Pattern::quote).collect(Collectors.joining(".*")));
        return configs.keySet().stream()
                .filter(dataId -> wanted.matcher(dataId).matches())
                .skip(skipped)
                .limit(most)
                .toList();
    }

    /** Registers the listener and says whether the digest is already another one. */
    boolean listen(String dataId, String md5, Listener listener) {
        listeners
                .computeIfAbsent(dataId, unused -> ConcurrentHashMap.newKeySet())
                .add(listener);
        Stored stored = configs.get(dataId);
        return !md5.equals(stored == null ? "" : stored.md5);
    }

    void forget(Listener listener) {
        listeners.values().forEach(waiting -> waiting.remove(listener));
    }

    private static String md5(byte[] content) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("MD5").digest(content));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
