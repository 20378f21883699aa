package io.cairn.server.naming;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.config.Namespace;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.api.wire.Payload;
import io.cairn.api.wire.SharedPart;
import io.cairn.server.compress.SharedCompression;
import io.cairn.server.naming.registry.Publisher;
import io.cairn.server.naming.stored.RegistryParts;
import io.cairn.server.naming.switches.Switches;
import io.cairn.server.naming.view.RegisteredInstance;
import io.cairn.server.naming.view.ServiceView;
import io.netty.util.HashedWheelTimer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A change of one instance of many: the answers are those of a service that has been registered so at once. */
class LargeServiceTest {

    private static final ServiceKey SERVICE = new ServiceKey(Namespace.DEFAULT, "DEFAULT_GROUP", "large");
    private static final int COUNT = 3_000;

    private final HashedWheelTimer timer = new HashedWheelTimer();
    private final RegistryParts naming = start();
    private final SharedCompression compression = new SharedCompression(Runnable::run);

    private RegistryParts start() {
        return RegistryParts.of(
                new NamingSettings(Duration.ofMinutes(1), Duration.ofMinutes(1), Duration.ofSeconds(15), true),
                new Switches(),
                timer,
                Clock.systemUTC());
    }

    @AfterEach
    void stop() {
        timer.stop();
    }

    private static void register(RegistryParts registry, String connection, List<Instance> instances) {
        registry.registrations()
                .register(
                        registry.registry().connection(connection, new Publisher.Client("", 0, "", "")),
                        SERVICE,
                        instances);
    }

    private static List<Instance> instances(int count) {
        List<Instance> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            all.add(Instance.of("10.1." + i / 250 + "." + i % 250, 8080)
                    .withMetadata(Map.of("version", "1." + i % 7, "zone", "süd")));
        }
        return all;
    }

    private static ServiceView view(RegistryParts registry) {
        return registry.reads().view(SERVICE, "", false);
    }

    private static Payload answer(ServiceView view) {
        return Payload.of("Test", null, view.newOutput().object("serviceInfo", "large", view::writeInfo));
    }

    /** The list as a registry that has never known another one encodes it. */
    private String expected(List<Instance> first, List<Instance> second) {
        RegistryParts other = start();
        register(other, "first", first);
        register(other, "second", second);
        return hosts(answer(view(other)).bodyText());
    }

    private static String hosts(String answer) {
        return answer.replaceAll("\"lastRefTime\":\\d+", "");
    }

    private byte[] compressed(Payload answer) throws IOException {
        byte[] bytes = answer.compressed(compression).join().encoded();
        try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(bytes))) {
            assertThat(in.readAllBytes()).isEqualTo(answer.encoded());
        }
        return bytes;
    }

    @Test
    void answersAfterChangesAreThoseOfTheListAsItIs() throws IOException {
        List<Instance> first = instances(COUNT);
        register(naming, "first", first);
        int whole = compressed(answer(view(naming))).length;
        List<Instance> changed = new ArrayList<>(first);
        changed.set(1_234, changed.get(1_234).withWeight(3));
        List<Instance> without = new ArrayList<>(changed);
        without.remove(700);
        without.remove(0);
        List<Instance> one = List.of(Instance.of("10.9.9.9", 1));

        for (List<Instance> batch : List.of(first, changed, without, first.subList(0, 600), first)) {
            register(naming, "first", batch);
            for (List<Instance> second : List.of(one, List.of(first.get(5).withWeight(9)), List.<Instance>of())) {
                register(naming, "second", second);

                Payload answer = answer(view(naming));

                assertThat(hosts(answer.bodyText())).isEqualTo(expected(batch, second));
                assertThat(compressed(answer)).hasSizeLessThan(whole * 11 / 10);
            }
        }
    }

    @Test
    void aChangeOfOneInstanceLeavesTheOtherPartsAsTheyWere() {
        register(naming, "first", instances(COUNT));
        Set<SharedPart> before = parts();
        assertThat(before).hasSizeBetween(8, 60);
        for (List<Instance> second : List.of(
                List.of(Instance.of("10.9.9.9", 1)), List.of(Instance.of("10.9.9.9", 2)), List.<Instance>of())) {
            register(naming, "second", second);

            Set<SharedPart> now = parts();

            Set<SharedPart> added = new HashSet<>(now);
            added.removeAll(before);
            assertThat(added).hasSizeLessThanOrEqualTo(2);
            assertThat(now).hasSizeBetween(before.size() - 1, before.size() + 1);
            before = now;
        }
    }

    @Test
    void aBatchThatIsRegisteredAgainStaysEncodedButForWhatHasChanged() {
        List<Instance> batch = new ArrayList<>(instances(20));
        register(naming, "first", batch);
        List<byte[]> before = encoded();
        batch.set(7, batch.get(7).withWeight(2));
        register(naming, "first", batch);

        List<byte[]> now = encoded();

        for (int i = 0; i < batch.size(); i++) {
            if (i == 7) {
                assertThat(new String(now.get(i), StandardCharsets.UTF_8)).contains("\"weight\":2.0");
            } else {
                assertThat(now.get(i)).isSameAs(before.get(i));
            }
        }
    }

    private List<byte[]> encoded() {
        List<byte[]> all = new ArrayList<>();
        Map<InstanceKey, RegisteredInstance> byKey =
                naming.reads().snapshot(SERVICE).byKey();
        for (Instance each : naming.reads().snapshot(SERVICE).instances()) {
            all.add(byKey.get(each.key()).json("DEFAULT_GROUP@@large"));
        }
        return all;
    }

    @Test
    void aSmallListHasNoParts() {
        register(naming, "first", instances(100));

        assertThat(parts()).isEmpty();
    }

    private Set<SharedPart> parts() {
        Set<SharedPart> parts = new HashSet<>();
        answer(view(naming)).compressed((plain, places) -> {
            int next = 0;
            for (SharedPart.Place place : places) {
                assertThat(place.from()).isGreaterThanOrEqualTo(next);
                next = place.from() + place.length();
                parts.add(place.part());
            }
            assertThat(next).isLessThan(plain.length);
            return CompletableFuture.completedFuture(null);
        });
        return parts;
    }
}
