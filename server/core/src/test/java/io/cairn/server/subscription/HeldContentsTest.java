package io.cairn.server.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ContentDigest;
import io.cairn.api.config.Namespace;
import io.cairn.api.wire.MessageCatalog;
import io.cairn.api.wire.Payload;
import io.cairn.api.wire.connection.PushReply;
import io.cairn.server.change.ChangeFeed;
import io.cairn.server.config.ConfigLimits;
import io.cairn.server.config.ConfigService;
import io.cairn.server.config.ConfigView;
import io.cairn.server.config.ContentLoader;
import io.cairn.server.connection.ClientConnection;
import io.cairn.server.connection.ClientIdentity;
import io.cairn.server.connection.ConnectionRegistry;
import io.cairn.server.connection.ConnectionSettings;
import io.cairn.server.connection.FakeTransport;
import io.cairn.server.connection.RequestIds;
import io.cairn.server.push.PushBudget;
import io.cairn.server.subscription.HeldContents.Held;
import io.cairn.server.subscription.HeldContents.State;
import io.cairn.server.testing.HandDrivenLoop;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HeldContentsTest {

    private static final ConfigKey KEY = new ConfigKey(Namespace.ofNullable(null), "G", "a+b%.yaml");
    private static final String JAVA = "Nacos-Java-Client:v2.5.1";
    private static final Pattern REQUEST_ID = Pattern.compile("\"requestId\":\"(\\w+)\"");

    private final HandDrivenLoop loop = new HandDrivenLoop();
    private final RequestIds requestIds = new RequestIds();
    private final ConnectionRegistry registry = new ConnectionRegistry(
            new ConnectionSettings(Duration.ofDays(1), Duration.ofSeconds(5), 1_000),
            10,
            new PushBudget(1_000_000),
            requestIds,
            loop,
            "127.0.0.1");
    private final ConfigView view = new ConfigView(new ChangeFeed(), 1_000_000);
    private final HeldContents contents = new HeldContents(
            registry,
            new ConfigService(
                    null, view, new ConfigLimits(1_000, 10_000), new ContentLoader(null, view, Runnable::run, 1, 10)),
            requestIds,
            loop);
    private final List<String> questions = new ArrayList<>();

    private ClientConnection connect(String id, String sdk) {
        ClientConnection connection = new ClientConnection(
                id,
                new ClientIdentity("10.0.0.1", sdk, "", Map.of("module", "config")),
                FakeTransport.of(loop, payload -> questions.add(payload.bodyText())),
                registry);
        assertThat(registry.register(connection)).isTrue();
        return connection;
    }

    private CompletableFuture<Held> ask(String id) throws Exception {
        CompletableFuture<Held> held = contents.ask(id, KEY).toCompletableFuture();
        loop.run();
        return held;
    }

    private void answer(ClientConnection connection, int question, String metricValues) {
        Matcher id = REQUEST_ID.matcher(questions.get(question));
        assertThat(id.find()).isTrue();
        Payload answer = Payload.of(
                MessageCatalog.CLIENT_CONFIG_METRIC_RESPONSE,
                ("{\"resultCode\":200,\"requestId\":\"" + id.group(1) + "\",\"metrics\":{\"client-1\":\""
                                + ("{\"listenConfigSize\":\"3\",\"metricValues\":" + metricValues + "}")
                                        .replace("\\", "\\\\")
                                        .replace("\"", "\\\"")
                                + "\"}}")
                        .getBytes(StandardCharsets.UTF_8));
        assertThat(connection.answersQuestion(PushReply.of(answer), answer)).isTrue();
    }

    @Test
    void asksByBothKeysOfTheDefaultNamespaceAndReadsTheDigest() throws Exception {
        ClientConnection connection = connect("1", JAVA);
        CompletableFuture<Held> held = ask("1");

        assertThat(questions)
                .singleElement()
                .asString()
                .contains(
                        "{\"type\":\"cacheData\",\"key\":\"a%2Bb%25.yaml+G\"}",
                        "{\"type\":\"cacheData\",\"key\":\"a%2Bb%25.yaml+G+public\"}");
        answer(connection, 0, "{\"key one\":null,\"key two\":\"url: http://x:80\\n:" + ContentDigest.of("x") + "\"}");
        assertThat(held).isCompletedWithValue(new Held(State.ANSWERED, ContentDigest.of("x")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"{}", "null", "{\"key\":null}", "{\"key\":\"a:null\"}"})
    void aClientMayHoldNoContent(String metricValues) throws Exception {
        ClientConnection connection = connect("1", JAVA);
        CompletableFuture<Held> held = ask("1");

        answer(connection, 0, metricValues);

        assertThat(held).isCompletedWithValue(new Held(State.ANSWERED, null));
    }

    @Test
    void severalQuestionsOfOneClientAreAnsweredInAnyOrder() throws Exception {
        ClientConnection connection = connect("1", JAVA);
        CompletableFuture<Held> first = ask("1");
        CompletableFuture<Held> second = ask("1");

        answer(connection, 1, "{\"key\":\"b:" + ContentDigest.of("b") + "\"}");
        answer(connection, 0, "{\"key\":\"a:" + ContentDigest.of("a") + "\"}");

        assertThat(first).isCompletedWithValue(new Held(State.ANSWERED, ContentDigest.of("a")));
        assertThat(second).isCompletedWithValue(new Held(State.ANSWERED, ContentDigest.of("b")));
    }

    @Test
    void nobodyIsAwaitedLongerThanItsLimit() throws Exception {
        connect("1", JAVA);
        connect("2", "Nacos-Go-Client:v2.3.5");
        CompletableFuture<Held> silent = ask("1");

        assertThat(ask("2")).isCompletedWithValue(new Held(State.CANNOT_ANSWER, null));
        assertThat(ask("unknown")).isCompletedWithValue(new Held(State.NOT_CONNECTED, null));
        assertThat(silent).isNotDone();
        loop.pass(HeldContents.PATIENCE);
        assertThat(silent).isCompletedWithValue(new Held(State.SILENT, null));
    }

    @Test
    void beyondTheLimitOfOpenQuestionsNobodyIsAsked() throws Exception {
        for (int i = 0; i < 200; i++) {
            connect(Integer.toString(i), JAVA);
            ask(Integer.toString(i));
        }
        connect("one too many", JAVA);

        assertThat(ask("one too many")).isCompletedWithValue(new Held(State.BUSY, null));
        assertThat(questions).hasSize(200);
        loop.pass(HeldContents.PATIENCE);
        assertThat(ask("one too many")).isNotDone();
    }
}
