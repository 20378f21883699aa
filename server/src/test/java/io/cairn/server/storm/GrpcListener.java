package io.cairn.server.storm;

import io.cairn.api.wire.Payload;
import io.cairn.server.support.CairnExtension;
import io.cairn.server.support.WireClient;
import io.grpc.StatusRuntimeException;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;

/**
 * Listens over gRPC as the Java client does: compares all configs when it has connected, and those that are pushed. It is
 * cut off now and then, and acknowledges late, with a failure, without saying what, or never.
 */
final class GrpcListener extends StormListener {

    private final CairnExtension cairn;
    private final boolean acknowledgesWithoutIds;
    private final ArrayDeque<Payload> late = new ArrayDeque<>();

    GrpcListener(CairnExtension cairn, List<String> configs, Random random) {
        super(configs, random);
        this.cairn = cairn;
        this.acknowledgesWithoutIds = random.nextInt(4) == 0;
    }

    @Override
    public void run() {
        while (!isClosed()) {
            try (WireClient client = cairn.newTransport()) {
                client.showDetections().acknowledge(push -> false);
                client.setUp();
                late.clear();
                listen(client);
            } catch (StatusRuntimeException e) {
                if (isClosed()) {
                    return;
                }
                // Cut off in the middle of a call; connects again.
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    private void listen(WireClient client) throws InterruptedException {
        Set<String> unsure = new LinkedHashSet<>(configs);
        while (!isClosed() && !client.streamEnd().isDone()) {
            if (!unsure.isEmpty()) {
                unsure = compare(client, unsure);
            }
            for (Payload push = client.pushes().poll(20, TimeUnit.MILLISECONDS);
                    push != null;
                    push = client.pushes().poll()) {
                if (push.type().equals("ConfigChangeNotifyRequest")) {
                    unsure.add(WireClient.tree(push).path("dataId").asString());
                }
                acknowledge(client, push);
            }
            if (happens(4)) {
                while (!late.isEmpty()) {
                    client.acknowledge(late.poll());
                }
            }
            if (happens(100)) {
                unsure.addAll(stopListening(client));
            }
            if (happens(150)) {
                if (random.nextBoolean()) {
                    client.halfClose();
                }
                return; // the transport is closed in any case
            }
        }
    }

    /** Asks which of these have changed and reads them; those are asked for again, for they may change meanwhile. */
    private Set<String> compare(WireClient client, Set<String> unsure) {
        Set<String> changed = new LinkedHashSet<>();
        for (JsonNode each : client.request("ConfigBatchListenRequest", listening(true, unsure))
                .path("changedConfigs")) {
            String config = each.path("dataId").asString();
            changed.add(config);
            remember(config, client.query(config).path("content").asString(null));
        }
        return changed;
    }

    /** Stops listening to some configs; it is up to the caller to listen to them again. */
    private Collection<String> stopListening(WireClient client) {
        Set<String> some = new HashSet<>();
        for (int i = 0; i < 5; i++) {
            some.add(configs.get(random.nextInt(configs.size())));
        }
        client.request("ConfigBatchListenRequest", listening(false, some));
        return some;
    }

    private String listening(boolean listen, Collection<String> which) {
        return which.stream()
                .map(config -> "{\"dataId\":\"" + config + "\",\"group\":\"DEFAULT_GROUP\",\"tenant\":\"\",\"md5\":\""
                        + md5(config) + "\"}")
                .collect(Collectors.joining(
                        ",", "{\"listen\":" + listen + ",\"configListenContexts\":[", "],\"module\":\"config\"}"));
    }

    private void acknowledge(WireClient client, Payload push) {
        int mood = random.nextInt(20);
        if (mood == 0) {
            return; // never
        }
        if (mood == 1) {
            late.add(push);
        } else if (mood == 2) {
            client.push(
                    "ErrorResponse",
                    "{\"resultCode\":500,\"errorCode\":500,\"success\":false,\"requestId\":\""
                            + WireClient.tree(push).path("requestId").asString() + "\"}");
        } else if (acknowledgesWithoutIds) {
            client.push(
                    push.type().replace("Request", "Response"),
                    "{\"resultCode\":200,\"errorCode\":0,\"success\":true}");
        } else {
            client.acknowledge(push);
        }
    }
}
