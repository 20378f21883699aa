package io.cairn.server.http.v1;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ContentDigest;
import io.cairn.server.gray.GrayClient;
import io.cairn.server.http.v1.ListeningConfigs.Listened;
import io.cairn.server.subscription.history.PolledConfigs;
import io.cairn.server.subscription.history.SeenClient;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** @param sdk name and version of its SDK, or empty */
record PollingClient(GrayClient reader, String sdk, SeenClient seen, PolledConfigs history) {

    static PollingClient of(GrayClient reader, String sdk, PolledConfigs history) {
        return new PollingClient(reader, sdk, SeenClient.polling(reader.address(), sdk), history);
    }

    void polled(boolean begins, List<Listened> records, List<Listened> changed) {
        if (begins || history.knows(seen)) {
            history.polled(seen, begins, keys(records), digests(records), new HashSet<>(keys(changed)));
        }
    }

    void answered(List<Listened> changed) {
        if (!changed.isEmpty()) {
            history.answered(seen, keys(changed), digests(changed));
        }
    }

    private static List<ConfigKey> keys(List<Listened> records) {
        return records.stream().map(Listened::key).toList();
    }

    private static List<@Nullable ContentDigest> digests(List<Listened> records) {
        List<@Nullable ContentDigest> digests = new ArrayList<>(records.size());
        records.forEach(record -> digests.add(digest(record)));
        return digests;
    }

    static @Nullable ContentDigest digest(Listened listened) {
        return ContentDigest.parse(listened.md5()).orElse(null);
    }
}
