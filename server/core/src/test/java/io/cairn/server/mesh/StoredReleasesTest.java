package io.cairn.server.mesh;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.Namespace;
import io.cairn.server.config.GrayRule;
import io.cairn.server.gray.GrayClient;
import io.cairn.server.mesh.StoredReleases.Config;
import io.cairn.server.mesh.StoredReleases.Release;
import io.cairn.server.mesh.StoredResources.Reader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Which stored resources a node gets, and which nodes are of one kind. */
class StoredReleasesTest {

    private static final ConfigKey KEY = new ConfigKey(Namespace.DEFAULT, "CAIRN_XDS", "route.orders");

    private static Release release(GrayRule rule, String content) {
        byte[] value = content.getBytes(StandardCharsets.UTF_8);
        StoredName name = new StoredName(StoredName.Kind.ROUTE, "orders");
        return new Release(rule, new StoredResource(name, value, ContentHash.of(value), Set.of(content), false), null);
    }

    private static GrayRule beta(String addresses) {
        return GrayRule.named("beta", "beta", null, addresses, 10);
    }

    private static StoredReleases stored(String application, Release... releases) {
        return new StoredReleases(Map.of(KEY, new Config(application, List.of(releases))));
    }

    private static Reader reader(StoredReleases stored, String cluster, String address, String tag) {
        return stored.readerOf(Namespace.DEFAULT, cluster, new GrayClient(address, tag));
    }

    private static String seen(StoredReleases stored, Reader reader) {
        Map<String, StoredResource> routes = stored.of(reader).get(StoredName.Kind.ROUTE.typeUrl());
        return routes == null
                ? "none"
                : routes.get("orders").clusters().iterator().next();
    }

    @Test
    void addressesOfOneReleaseAreOneKindOfNode() {
        List<String> addresses = IntStream.range(0, 500)
                .mapToObj(i -> "10.0." + i / 250 + '.' + i % 250)
                .toList();
        StoredReleases stored = stored("", release(beta(String.join(",", addresses)), "new"), release(null, "old"));
        assertThat(addresses.stream().map(address -> reader(stored, "", address, null)))
                .allSatisfy(each -> assertThat(seen(stored, each)).isEqualTo("new"))
                .containsOnly(reader(stored, "", "10.0.0.7", null));
        Reader other = reader(stored, "", "10.0.2.1", null);
        assertThat(other).isEqualTo(Reader.any(Namespace.DEFAULT));
        assertThat(seen(stored, other)).isEqualTo("old");
    }

    @Test
    void releaseOfTheHighestPriorityCountsAlone() {
        StoredReleases stored = stored(
                "",
                release(beta("10.0.0.1"), "by address"),
                release(GrayRule.named("tag", "tag", null, "blue", 5), "by tag"),
                release(null, "old"));
        Reader both = reader(stored, "", "10.0.0.1", "blue");
        assertThat(both).isEqualTo(reader(stored, "", "10.0.0.1", null));
        assertThat(seen(stored, both)).isEqualTo("by address");
        assertThat(seen(stored, reader(stored, "", "10.0.0.2", "blue"))).isEqualTo("by tag");
    }

    @Test
    void releaseOfAnotherApplicationDoesNotMakeAKindOfNode() {
        StoredReleases stored = stored("shop", release(beta("10.0.0.1"), "new"), release(null, "old"));
        assertThat(reader(stored, "store", "10.0.0.1", null)).isEqualTo(Reader.any(Namespace.DEFAULT));
        assertThat(seen(stored, reader(stored, "store", "10.0.0.1", null))).isEqualTo("none");
        assertThat(seen(stored, reader(stored, "shop", "10.0.0.1", null))).isEqualTo("new");
        assertThat(seen(stored, reader(stored, "shop", "10.0.0.2", null))).isEqualTo("old");
    }

    @Test
    void readerOfAChangedReleaseIsNotCurrent() {
        StoredReleases before = stored("", release(beta("10.0.0.1,10.0.0.2"), "new"), release(null, "old"));
        Reader reader = reader(before, "", "10.0.0.1", null);
        StoredReleases newContent = stored("", release(beta("10.0.0.1,10.0.0.2"), "newer"), release(null, "old"));
        assertThat(newContent.isCurrent(reader)).isTrue();
        assertThat(seen(newContent, reader)).isEqualTo("newer");
        assertThat(stored("", release(beta("10.0.0.2"), "new"), release(null, "old"))
                        .isCurrent(reader))
                .isFalse();
        assertThat(stored("", release(null, "old")).isCurrent(reader)).isFalse();
        assertThat(stored("", release(null, "old")).isCurrent(Reader.any(Namespace.DEFAULT)))
                .isTrue();
    }
}
