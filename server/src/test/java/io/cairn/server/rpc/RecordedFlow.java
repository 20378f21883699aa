package io.cairn.server.rpc;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.api.wire.Payload;
import io.cairn.server.support.Placeholders;
import io.cairn.server.support.Recorded;
import io.cairn.server.support.WireClient;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;

/**
 * Plays one recorded flow against a running server: sends the client's messages as recorded and expects the recorded
 * responses and pushes in that order.
 */
final class RecordedFlow implements AutoCloseable {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final String file;
    private final Supplier<WireClient> transports;
    private final Placeholders placeholders = new Placeholders();
    private final Map<Integer, WireClient> connections = new HashMap<>();
    private final Set<Integer> setUp = new HashSet<>();
    private final Map<Integer, Deviation> deviations = new HashMap<>();
    private Set<String> notOffered = Set.of();
    private boolean hasMarker = true;
    private boolean hasDetections;
    private Runnable before = () -> {};
    private @Nullable Payload answer;

    /** A response in which Cairn differs from the recording, with the reason. */
    private record Deviation(String reason, @Nullable String type, String json) {}

    RecordedFlow(String file, Supplier<WireClient> transports) {
        this.file = file;
        this.transports = transports;
    }

    /** The response in that line (from 1) is this body instead, for that reason. */
    RecordedFlow butInLine(int line, String json, String reason) {
        return butInLine(line, null, json, reason);
    }

    RecordedFlow butInLine(int line, @Nullable String type, String json, String reason) {
        deviations.put(line, new Deviation(reason, type, json));
        return this;
    }

    /** Leaves out requests of these types and their responses, which Cairn does not support yet. */
    RecordedFlow without(Set<String> requestTypes) {
        notOffered = requestTypes;
        return this;
    }

    /** The server has no configurations, so a change of one cannot mark the end of the flow. */
    RecordedFlow withoutMarker() {
        hasMarker = false;
        return this;
    }

    /** The state that the server must have before the first line. */
    RecordedFlow given(Runnable state) {
        Runnable earlier = before;
        before = () -> {
            earlier.run();
            state.run();
        };
        return this;
    }

    /** The connection of that number; set up here if the recording starts after its setup. */
    WireClient connection(int number) {
        return connections.computeIfAbsent(number, n -> {
            WireClient client = transports.get();
            if (hasDetections) {
                client.showDetections();
            }
            client.acknowledge(push -> false);
            return client;
        });
    }

    void play() {
        List<JsonNode> lines = Recorded.lines("grpc-" + file + ".jsonl");
        hasDetections =
                lines.stream().anyMatch(line -> line.path("type").asString().equals("ClientDetectionRequest"));
        for (JsonNode line : lines) {
            int number = line.path("conn").asInt();
            if (!connections.containsKey(number) && wasSetUpBefore(line)) {
                connection(number).setUp();
                setUp.add(number);
            }
        }
        before.run();
        Set<Integer> deviated = new HashSet<>();
        boolean skipping = false;
        for (int i = 0; i < lines.size(); i++) {
            JsonNode line = lines.get(i);
            String where = file + " line " + (i + 1);
            boolean fromClient = line.path("dir").asString().equals("c2s");
            if (fromClient) {
                skipping = notOffered.contains(line.path("type").asString());
            }
            if (skipping) {
                continue;
            }
            if (fromClient) {
                send(line);
            } else if (line.path("type").asString().equals("<stream end>")) {
                assertStreamEnd(where, line);
            } else {
                receive(where, line, deviations.get(i + 1));
                deviated.add(i + 1);
            }
        }
        assertThat(deviated).as("lines with a listed deviation").containsAll(deviations.keySet());
        if (hasMarker) {
            setUp.forEach(number -> assertNothingElseComes(connection(number)));
        }
    }

    private boolean wasSetUpBefore(JsonNode first) {
        connection(first.path("conn").asInt());
        String type = first.path("type").asString();
        return !type.equals("ServerCheckRequest") && !type.equals("ConnectionSetupRequest");
    }

    private void send(JsonNode line) {
        int number = line.path("conn").asInt();
        WireClient connection = connection(number);
        String type = line.path("type").asString();
        switch (type) {
            case "<half close>" -> {
                connection.halfClose();
                setUp.remove(number);
            }
            case "<transport closed>" -> {
                connection.close();
                setUp.remove(number);
            }
            default -> {
                if (line.path("channel").asString().equals("stream")) {
                    connection.push(payload(line));
                    if (type.equals("ConnectionSetupRequest")) {
                        setUp.add(number);
                    }
                } else {
                    answer = call(connection, payload(line));
                }
            }
        }
    }

    private static Payload call(WireClient connection, Payload request) {
        return await().pollInterval(Duration.ofMillis(20))
                // The server closed the transport: the channel opens a new one.
                .ignoreExceptionsMatching(failure -> failure instanceof StatusRuntimeException status
                        && status.getStatus().getCode() == Status.Code.UNAVAILABLE)
                .until(() -> connection.call(request), answer -> true);
    }

    private Payload payload(JsonNode line) {
        Map<String, String> headers = new LinkedHashMap<>();
        line.path("headers")
                .properties()
                .forEach(header -> headers.put(
                        header.getKey(), placeholders.filled(header.getValue().asString())));
        String json = line.has("bodyRaw")
                ? line.path("bodyRaw").asString()
                : line.path("body").toString();
        JsonNode clientIp = line.path("clientIp");
        return Payload.of(
                line.path("type").asString(),
                clientIp.isMissingNode() ? null : clientIp.asString(),
                headers,
                placeholders.filled(json).getBytes(StandardCharsets.UTF_8));
    }

    private void receive(String where, JsonNode line, @Nullable Deviation deviation) {
        boolean isPush = line.path("channel").asString().equals("stream");
        Payload actual = isPush ? connection(line.path("conn").asInt()).nextPush() : answer;
        assertThat(actual).as(where).isNotNull();
        String type = line.path("type").asString();
        JsonNode body = inAllSpellings(line.path("body"));
        if (deviation != null) {
            boolean isSame = type.equals(actual.type())
                    && new Placeholders()
                            .differences(body, WireClient.tree(actual))
                            .isEmpty();
            assertThat(isSame)
                    .as(where + ": the response equals the recorded one in spite of a deviation: " + deviation.reason)
                    .isFalse();
            type = deviation.type == null ? type : deviation.type;
            body = JSON.readTree(deviation.json);
        }
        assertThat(actual.type()).as(where).isEqualTo(type);
        assertThat(placeholders.differences(sorted(body), sorted(WireClient.tree(actual))))
                .as(where + ": " + actual.bodyText())
                .isEmpty();
        if (isPush) {
            assertThat(placeholders.sameText(line.path("clientIp").asString(), String.valueOf(actual.clientIp())))
                    .as(where + ": client ip " + actual.clientIp())
                    .isTrue();
        } else {
            assertThat(actual.clientIp()).as(where).isNull();
        }
    }

    /** 2.x and 3.x spell this field differently. Cairn sends both, because it does not know the client's version. */
    private static JsonNode inAllSpellings(JsonNode body) {
        return JSON.readTree(
                body.toString().replaceAll("\"(allIPs|allIps)\":false", "\"allIPs\":false,\"allIps\":false"));
    }

    /** The names in a comparison have the order of a hash table. */
    private static JsonNode sorted(JsonNode body) {
        if (body.path("contexts") instanceof ArrayNode contexts) {
            List<JsonNode> names = new ArrayList<>();
            contexts.forEach(names::add);
            names.sort(Comparator.comparing(JsonNode::toString));
            contexts.removeAll().addAll(names);
        }
        return body;
    }

    private void assertStreamEnd(String where, JsonNode line) {
        int number = line.path("conn").asInt();
        setUp.remove(number);
        try {
            Status status = connection(number).streamEnd().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            assertThat(status.getCode())
                    .as(where)
                    .hasToString(line.path("status").asString());
        } catch (Exception e) {
            throw new AssertionError(where + ": the stream has not ended", e);
        }
    }

    /** Changes are pushed in order: when the push of a later change is next, no other push was on its way. */
    private void assertNothingElseComes(WireClient connection) {
        await().pollInterval(Duration.ofMillis(10)).until(() -> connection
                .request("HealthCheckRequest", "{}")
                .path("success")
                .asBoolean());
        String marker = "marker-" + System.nanoTime();
        connection.listen(marker, "");
        connection.publish(marker, "end of " + file);
        Payload push = connection.nextPush();
        assertThat(WireClient.tree(push).path("dataId").asString())
                .as(file + ": a push that was not recorded: " + push.bodyText())
                .isEqualTo(marker);
        connection.acknowledge(push);
    }

    @Override
    public void close() {
        connections.values().forEach(WireClient::close);
    }

    @Override
    public String toString() {
        return file;
    }
}
