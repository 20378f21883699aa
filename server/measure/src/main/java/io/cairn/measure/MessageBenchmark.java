package io.cairn.measure;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ContentDigest;
import io.cairn.api.config.Namespace;
import io.cairn.api.naming.Instance;
import io.cairn.api.wire.JsonInput;
import io.cairn.api.wire.JsonOutput;
import io.cairn.api.wire.MessageCatalog;
import io.cairn.api.wire.Payload;
import io.cairn.api.wire.config.ConfigBatchListenRequest;
import io.cairn.api.wire.config.ConfigBatchListenRequest.Listened;
import io.cairn.api.wire.config.ConfigPublishRequest;
import io.cairn.api.wire.config.ConfigQueryRequest;
import io.cairn.api.wire.connection.PushReply;
import io.cairn.api.wire.naming.InstanceRequest;
import io.cairn.api.wire.naming.NamingWire;
import io.cairn.server.config.GrayRule;
import io.cairn.server.gray.GrayClient;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Decoding and encoding of each kind of message of a client. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
public class MessageBenchmark {

    private static final ConfigKey CONFIG = new ConfigKey(Namespace.DEFAULT, "DEFAULT_GROUP", "orders.yaml");
    private static final String ADDRESSES =
            IntStream.range(0, 20).mapToObj(i -> "10.0.0." + i).reduce("", (all, one) -> all + "," + one);

    private final byte[] query = Encoded.bytes(
            MessageCatalog.CONFIG_QUERY_REQUEST,
            "{\"headers\":{\"Client-AppName\":\"unknown\",\"charset\":\"UTF-8\"},\"dataId\":\"application.yaml\","
                    + "\"group\":\"DEFAULT_GROUP\",\"tenant\":\"\",\"notify\":false,\"module\":\"config\"}");
    private final byte[] publish = Encoded.bytes(
            MessageCatalog.CONFIG_PUBLISH_REQUEST,
            "{\"headers\":{},\"dataId\":\"application.yaml\",\"group\":\"DEFAULT_GROUP\",\"tenant\":\"\",\"content\":\""
                    + "key: value\\n".repeat(450)
                    + "\",\"additionMap\":{\"type\":\"yaml\"},\"module\":\"config\"}");
    private final byte[] registration = Encoded.bytes(
            MessageCatalog.INSTANCE_REQUEST,
            "{\"headers\":{},\"namespace\":\"public\",\"serviceName\":\"orders\",\"groupName\":\"DEFAULT_GROUP\","
                    + "\"type\":\"registerInstance\",\"instance\":{\"ip\":\"10.0.0.1\",\"port\":8080,\"weight\":1.0,"
                    + "\"healthy\":true,\"enabled\":true,\"ephemeral\":true,\"clusterName\":\"DEFAULT\","
                    + "\"metadata\":{\"preserved.register.source\":\"SPRING_CLOUD\"},"
                    + "\"instanceHeartBeatInterval\":5000},\"module\":\"naming\"}");
    private final byte[] acknowledgement = Encoded.bytes(
            MessageCatalog.NOTIFY_SUBSCRIBER_RESPONSE,
            "{\"resultCode\":200,\"errorCode\":0,\"requestId\":\"123456\",\"success\":true}");
    private final byte[] listen = Encoded.bytes(Payload.of(
            MessageCatalog.CONFIG_BATCH_LISTEN_REQUEST,
            new ConfigBatchListenRequest(
                            true,
                            IntStream.range(0, 200)
                                    .mapToObj(i -> new Listened(
                                            "DEFAULT_GROUP",
                                            "application-" + i + ".yaml",
                                            "",
                                            "0123456789abcdef0123456789abcdef"))
                                    .toList())
                    .toJson()));
    private final byte[] content = "key: value\n".repeat(465).getBytes(StandardCharsets.UTF_8);
    private final Instance instance = Instance.of("10.0.0.1", 8080)
            .withMetadata(Map.of("preserved.register.source", "SPRING_CLOUD", "zone", "a"));
    private final List<Instance> instances = IntStream.range(0, 10)
            .mapToObj(i -> Instance.of("10.0.0." + i, 8080))
            .toList();
    private final GrayRule rule = GrayRule.asked(ADDRESSES, null).orElseThrow();
    private final GrayClient client = new GrayClient("10.0.0.19", null);

    @Benchmark
    public Payload readEnvelope() {
        return Payload.read(query);
    }

    @Benchmark
    public ConfigQueryRequest readQuery() {
        return JsonInput.read(Payload.read(query), ConfigQueryRequest::read);
    }

    @Benchmark
    public ConfigPublishRequest readPublishOf5Kb() {
        return JsonInput.read(Payload.read(publish), ConfigPublishRequest::read);
    }

    @Benchmark
    public ConfigBatchListenRequest readListenTo200() {
        return JsonInput.read(Payload.read(listen), ConfigBatchListenRequest::read);
    }

    @Benchmark
    public InstanceRequest readRegistration() {
        return JsonInput.read(Payload.read(registration), InstanceRequest::read);
    }

    @Benchmark
    public PushReply readAcknowledgement() {
        return PushReply.of(Payload.read(acknowledgement));
    }

    @Benchmark
    public Payload writeAnswerOf5Kb() {
        return Payload.of(
                MessageCatalog.CONFIG_QUERY_RESPONSE,
                new JsonOutput(content.length + 256)
                        .number("resultCode", 200)
                        .utf8("content", content)
                        .text("md5", "0123456789abcdef0123456789abcdef")
                        .toBytes());
    }

    @Benchmark
    public byte[] writeInstance() {
        return NamingWire.instance(instance, "DEFAULT_GROUP@@orders");
    }

    @Benchmark
    public byte[] writeServiceOf10() {
        return JsonOutput.array(
                instances, (one, out) -> out.json("host", NamingWire.instance(one, "DEFAULT_GROUP@@orders")));
    }

    @Benchmark
    public ContentDigest digestOf5Kb() {
        return ContentDigest.of(content);
    }

    @Benchmark
    public boolean matchGrayRuleOf20() {
        return rule.matches(CONFIG, client);
    }
}
