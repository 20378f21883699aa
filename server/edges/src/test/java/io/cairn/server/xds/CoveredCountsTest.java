package io.cairn.server.xds;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.xds.resource.Resource;
import io.cairn.server.xds.resource.ViewResources;
import io.cairn.server.xds.resource.XdsType;
import io.cairn.server.xds.view.ChangeLog;
import io.cairn.server.xds.view.DiscoveryMessages;
import io.cairn.server.xds.view.Subscription;
import io.cairn.server.xds.view.TableEntry;
import io.cairn.server.xds.view.TypeTable;
import io.cairn.server.xds.view.ViewState;
import java.util.AbstractMap;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The counts of the list of proxies. */
class CoveredCountsTest {

    private final AtomicInteger walks = new AtomicInteger();

    private ViewState state(int resources, int leftOut) {
        Map<String, TableEntry> entries = new HashMap<>();
        for (int i = 0; i < resources; i++) {
            String name = "service-" + i;
            Resource resource = Resource.of(XdsType.EDS, name, new byte[0]);
            entries.put(name, new TableEntry(new ViewResources.Found(resource, true, Set.of(), false, leftOut), 1, 1));
        }
        Map<String, TableEntry> counted = new AbstractMap<>() {
            @Override
            public Set<Entry<String, TableEntry>> entrySet() {
                walks.incrementAndGet();
                return entries.entrySet();
            }
        };
        TypeTable[] tables = new TypeTable[XdsType.COUNT];
        Arrays.fill(tables, TypeTable.EMPTY);
        tables[XdsType.EDS.index()] = new TypeTable(counted, ChangeLog.Part.NONE);
        return new ViewState(new DiscoveryMessages("cairn@test"), 1, tables, 0, 0, List.of());
    }

    private static Subscription all() {
        return new Subscription(new Subscription.Key(XdsType.EDS, true, Set.of()));
    }

    @Test
    void streamsThatShareASubscriptionAreCountedOnce() {
        CoveredCounts counts = new CoveredCounts();
        ViewState state = state(3, 2);
        Subscription shared = all();
        for (int stream = 0; stream < 1_000; stream++) {
            assertThat(counts.of(state, shared)).isEqualTo(new CoveredCounts.Count(3, 6));
        }
        assertThat(walks).hasValue(1);
    }

    @Test
    void otherStatesAndSubscriptionsAreCountedForThemselves() {
        CoveredCounts counts = new CoveredCounts();
        ViewState state = state(3, 0);
        assertThat(counts.of(state, all()).resources()).isEqualTo(3);
        assertThat(counts.of(state(4, 0), all()).resources()).isEqualTo(4);
        Subscription none = new Subscription(new Subscription.Key(XdsType.EDS, false, Set.of("unknown")));
        assertThat(counts.of(state, none).resources()).isZero();
    }
}
