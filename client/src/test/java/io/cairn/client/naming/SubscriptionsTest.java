package io.cairn.client.naming;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.config.Namespace;
import io.cairn.api.naming.ServiceKey;
import io.cairn.api.wire.JsonInput;
import io.cairn.api.wire.JsonOutput;
import io.cairn.api.wire.MessageCatalog;
import io.cairn.api.wire.Payload;
import io.cairn.api.wire.WireResponse;
import io.cairn.api.wire.naming.SubscribeServiceRequest;
import io.cairn.client.internal.Connection;
import io.cairn.client.internal.FakeLink;
import io.cairn.client.internal.Threads;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Requests and lists of a client whose server sends whole lists and deltas, loses a push, or is replaced. */
class SubscriptionsTest {

    private static final ServiceKey SERVICE = new ServiceKey(Namespace.DEFAULT, "g", "large");

    private final FakeLink link = new FakeLink();
    private final Threads threads = new Threads("subscriptions-test");
    private final Subscriptions subscriptions = new Subscriptions(
            Namespace.DEFAULT,
            link,
            threads,
            new ServiceSnapshots(null),
            EmptyLists.BELIEVE,
            Duration.ofSeconds(1),
            Duration.ofSeconds(20));
    private final List<ServiceChange> changes = new CopyOnWriteArrayList<>();

    @AfterEach
    void stop() {
        threads.close();
    }

    private ServiceWatch watch() {
        return subscriptions.add(SERVICE, changes::add, Runnable::run);
    }

    private List<String> shown() {
        return subscriptions.view(SERVICE).orElseThrow().instances().stream()
                .map(instance -> instance.key().ip())
                .toList();
    }

    private static Payload answer(String field, String value) {
        return Payload.of(
                MessageCatalog.SUBSCRIBE_SERVICE_RESPONSE,
                WireResponse.start(512).json(field, value).flag("success", true).toBytes());
    }

    private static Payload whole(long revision, String... ips) {
        return Payload.of(
                MessageCatalog.SUBSCRIBE_SERVICE_RESPONSE,
                WireResponse.start(512)
                        .json("serviceInfo", info(revision, ips))
                        .number("revision", revision)
                        .flag("success", true)
                        .toBytes());
    }

    private static String info(long made, String... ips) {
        return "{\"name\":\"large\",\"groupName\":\"g\",\"lastRefTime\":" + made + ",\"hosts\":" + hosts(ips) + '}';
    }

    private static String hosts(String... ips) {
        return '['
                + String.join(
                        ",",
                        List.of(ips).stream()
                                .map(ip -> "{\"ip\":\"" + ip + "\",\"port\":80}")
                                .toList())
                + ']';
    }

    private static String delta(long since, long revision, String changed, String removed) {
        return "{\"name\":\"large\",\"groupName\":\"g\",\"since\":" + since + ",\"revision\":" + revision
                + ",\"changed\":" + hosts(changed) + ",\"removed\":[{\"ip\":\"" + removed
                + "\",\"port\":80,\"clusterName\":\"DEFAULT\"}],\"lastRefTime\":" + revision + '}';
    }

    private static Payload push(String requestId, String field, String value) {
        return Payload.of(
                MessageCatalog.NOTIFY_SUBSCRIBER_REQUEST,
                new JsonOutput(512)
                        .text("requestId", requestId)
                        .json(field, value)
                        .toBytes());
    }

    private FakeLink.Request subscribing(long since) throws InterruptedException {
        FakeLink.Request request = link.next();
        assertThat(request.type()).isEqualTo(MessageCatalog.SUBSCRIBE_SERVICE_REQUEST);
        SubscribeServiceRequest asked = JsonInput.read(request.body(), SubscribeServiceRequest::read);
        assertThat(asked.subscribe()).isTrue();
        assertThat(asked.since()).isEqualTo(since);
        return request;
    }

    @Test
    void asksForAWholeListFirstAndAgainOverEveryNewConnection() throws Exception {
        Connection first = link.connect();
        watch();
        subscribing(0).answer().complete(whole(7, "a"));
        link.push(first, push("1", "serviceDelta", delta(7, 8, "b", "a")));
        assertThat(shown()).containsExactly("b");

        Connection second = link.connect();
        FakeLink.Request again = subscribing(0);
        assertThat(again.over()).isSameAs(second);
        assertThat(link.push(first, push("2", "serviceDelta", delta(8, 9, "c", "b"))))
                .as("of the connection that was replaced")
                .isEqualTo("2");
        assertThat(shown()).containsExactly("b");
        again.answer().complete(whole(3, "d"));

        assertThat(shown()).containsExactly("d");
        link.push(second, push("3", "serviceDelta", delta(3, 4, "e", "d")));
        assertThat(shown()).containsExactly("e");
        assertThat(link.isQuiet()).isTrue();
    }

    @Test
    void gapAfterALostPushIsClosedByARequestThatNamesTheRevisionThatIsThere() throws Exception {
        Connection connection = link.connect();
        watch();
        subscribing(0).answer().complete(whole(7, "a", "b"));

        assertThat(link.push(connection, push("1", "serviceDelta", delta(9, 10, "d", "x"))))
                .isEqualTo("1");

        assertThat(shown()).as("unchanged until it is known").containsExactly("a", "b");
        subscribing(7).answer().complete(answer("serviceDelta", delta(7, 10, "d", "a")));
        assertThat(shown()).containsExactly("b", "d");
        assertThat(changes.get(changes.size() - 1).added()).hasSize(1);
        assertThat(changes.get(changes.size() - 1).removed()).hasSize(1);
        link.push(connection, push("2", "serviceDelta", delta(10, 11, "e", "d")));
        assertThat(shown()).containsExactly("b", "e");
        assertThat(link.isQuiet()).isTrue();
    }

    @Test
    void gapThatIsTooLargeIsClosedByAWholeList() throws Exception {
        Connection connection = link.connect();
        watch();
        subscribing(0).answer().complete(whole(7, "a"));

        link.push(connection, push("1", "serviceDelta", delta(9, 10, "d", "x")));
        subscribing(7).answer().complete(whole(10, "d", "e"));

        assertThat(shown()).containsExactly("d", "e");
        assertThat(changes).hasSize(2);
    }

    @Test
    void pushBeforeTheAnswerIsAskedForAgain() throws Exception {
        Connection connection = link.connect();
        watch();
        FakeLink.Request first = subscribing(0);
        link.push(connection, push("1", "serviceDelta", delta(7, 8, "b", "a")));
        assertThat(subscriptions.view(SERVICE)).isEmpty();

        first.answer().complete(whole(7, "a"));

        subscribing(7).answer().complete(answer("serviceDelta", delta(7, 8, "b", "a")));
        assertThat(shown()).containsExactly("b");
    }

    @Test
    void answeredDeltaThatCannotBeAppliedIsFollowedByARequestForAWholeList() throws Exception {
        link.connect();
        watch();
        subscribing(0).answer().complete(whole(7, "a"));
        link.push(link.connection(), push("1", "serviceDelta", delta(9, 10, "d", "x")));

        subscribing(7).answer().complete(answer("serviceDelta", delta(8, 10, "d", "x")));

        assertThat(shown()).containsExactly("a");
        subscribing(0).answer().complete(whole(10, "d"));
        assertThat(shown()).containsExactly("d");
    }

    @Test
    void pushForAServiceThatIsNoLongerSubscribedIsAcknowledgedAndIgnored() throws Exception {
        Connection connection = link.connect();
        ServiceWatch watch = watch();
        subscribing(0).answer().complete(whole(7, "a"));
        watch.close();
        FakeLink.Request end = link.next();
        assertThat(JsonInput.read(end.body(), SubscribeServiceRequest::read).subscribe())
                .isFalse();
        end.answer().complete(whole(0));

        assertThat(link.push(connection, push("1", "serviceDelta", delta(7, 8, "b", "a"))))
                .isEqualTo("1");
        assertThat(link.push(connection, push("2", "serviceDelta", delta(20, 21, "b", "a"))))
                .as("a gap of no interest")
                .isEqualTo("2");

        assertThat(link.isQuiet()).isTrue();
        assertThat(subscriptions.view(SERVICE)).isEmpty();
        assertThat(changes).as("the first list").hasSize(1);
    }

    /** The client subscribes again, and only then does the push arrive that was meant for its former subscription. */
    @Test
    void newSubscriptionTakesNoDeltaBeforeItsOwnList() throws Exception {
        Connection connection = link.connect();
        watch().close();
        FakeLink.Request first = subscribing(0);
        watch();
        first.answer().complete(whole(7, "a"));
        FakeLink.Request second = subscribing(0);

        link.push(connection, push("1", "serviceDelta", delta(7, 8, "b", "a")));
        second.answer().complete(whole(8, "b"));

        subscribing(8).answer().complete(answer("serviceDelta", delta(8, 8, "b", "a")));
        assertThat(shown()).containsExactly("b");
    }

    @Test
    void serverThatTellsNoRevisionsIsTakenAtItsWholeLists() throws Exception {
        Connection connection = link.connect();
        watch();
        subscribing(0).answer().complete(answer("serviceInfo", info(1, "a")));

        link.push(connection, push("1", "serviceInfo", info(2, "a", "b")));

        assertThat(shown()).containsExactly("a", "b");
        assertThat(link.isQuiet()).isTrue();
    }

    /** Its clock was set back, so the revisions of a service that was made again are lower than before. */
    @Test
    void answerOfALowerRevisionThanAskedForBeginsAnew() throws Exception {
        Connection connection = link.connect();
        watch();
        subscribing(0).answer().complete(whole(70_000, "a"));
        link.push(connection, push("1", "serviceDelta", delta(80_000, 80_001, "x", "y")));

        subscribing(70_000).answer().complete(whole(5_000, "b"));

        assertThat(shown()).containsExactly("b");
        link.push(connection, push("2", "serviceDelta", delta(5_000, 5_001, "c", "b")));
        assertThat(shown()).containsExactly("c");
    }
}
