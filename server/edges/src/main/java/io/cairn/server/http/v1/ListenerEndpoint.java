package io.cairn.server.http.v1;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.auth.AccessPolicy;
import io.cairn.server.auth.Action;
import io.cairn.server.auth.Denial;
import io.cairn.server.auth.Identity;
import io.cairn.server.auth.ResourceType;
import io.cairn.server.change.CatchUp;
import io.cairn.server.config.ConfigEntry;
import io.cairn.server.config.ConfigService;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.config.ConfigActions;
import io.cairn.server.http.route.ContainerErrors;
import io.cairn.server.http.route.Endpoints;
import io.cairn.server.http.route.Form;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.Operation;
import io.cairn.server.http.route.Parameter;
import io.cairn.server.http.route.RequestCaller;
import io.cairn.server.http.route.Right;
import io.cairn.server.http.v1.ListeningConfigs.Listened;
import io.cairn.server.push.Subscriptions;
import io.cairn.server.subscription.ConfigListeners;
import io.cairn.server.subscription.history.PolledConfigs;
import io.netty.util.Timer;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** {@code POST /v1/cs/configs/listener}: the long polls of all 1.x clients. A parked request holds no thread. */
public final class ListenerEndpoint {

    private static final long MIN_TIMEOUT_MILLIS = 10_000;
    private static final long MAX_TIMEOUT_MILLIS = 10 * 60_000;
    private static final long ANSWER_EARLIER_MILLIS = 500;
    private static final Logger log = LoggerFactory.getLogger(ListenerEndpoint.class);

    private static final Parameter<String> CONFIGS =
            Parameter.text("Listening-Configs", "The configurations with the md5 of each, in the format of Nacos 1.x");
    private static final Parameter<String> TIMEOUT =
            Parameter.header("Long-Pulling-Timeout", "The time to wait, in milliseconds; answers at once when absent");
    private static final Parameter<String> NO_HANGUP =
            Parameter.header("Long-Pulling-Timeout-No-Hangup", "With true, answers at once");
    private static final Parameter<String> CLIENT_VERSION =
            Parameter.header("Client-Version", "The version of the client");

    private static final Operation<Listening> LISTEN = Operation.of(
                    Form.of(CONFIGS.required(), TIMEOUT, NO_HANGUP, CLIENT_VERSION)
                            .as(Listening::read))
            .needs(Right.of((policy, who, request) -> request.check(policy, who)))
            .answers("string")
            .says("Waits for a change of the client's configurations");

    private final ConfigService configs;
    private final Subscriptions<ConfigKey> subscriptions;
    private final Timer timer;
    private final ContainerErrors containerErrors;
    private final ConfigListeners listeners;
    private final CatchUp catchUp;
    private final PolledConfigs history;

    public ListenerEndpoint(
            ConfigService configs,
            Subscriptions<ConfigKey> subscriptions,
            Timer timer,
            ContainerErrors containerErrors,
            ConfigListeners listeners,
            CatchUp catchUp,
            PolledConfigs history) {
        this.configs = configs;
        this.subscriptions = subscriptions;
        this.timer = timer;
        this.containerErrors = containerErrors;
        this.listeners = listeners;
        this.catchUp = catchUp;
        this.history = history;
    }

    public List<HttpRoute> routes() {
        return List.of(new Endpoints(new V1ConfigErrors())
                .post(ConfigEndpoints.PATH + "/listener", LISTEN, this::listen)
                .longPoll());
    }

    /**
     * @param isGiven false for an absent or blank parameter
     * @param records null for an absent or malformed one
     */
    private record Listening(boolean isGiven, @Nullable List<Listened> records) {

        private static Listening read(HttpRequest request) {
            String value = CONFIGS.orNull(request);
            if (value == null) {
                return new Listening(false, null);
            }
            try {
                return new Listening(true, ListeningConfigs.parse(value));
            } catch (IllegalArgumentException e) {
                throw new CairnException(
                        ErrorCode.INVALID_PARAMETER, "Listening-Configs is not properly percent-encoded", e);
            }
        }

        /** All or nothing: a client would not notice a partly ignored list. */
        private @Nullable Denial check(AccessPolicy policy, Identity who) {
            if (records == null || records.isEmpty()) {
                return policy.checkKnown(who);
            }
            for (Listened listened : records) {
                ConfigKey key = listened.key();
                Denial denial =
                        policy.check(who, Action.READ, key.namespace(), key.group(), ResourceType.CONFIG, key.dataId());
                if (denial != null) {
                    return denial;
                }
            }
            return null;
        }
    }

    private CompletionStage<HttpResponse> listen(Listening request, HttpRequest http) {
        if (!request.isGiven) {
            throw new CairnException(ErrorCode.INVALID_PARAMETER, "invalid probeModify");
        }
        List<Listened> records = request.records;
        if (records == null) {
            return CompletableFuture.completedFuture(
                    containerErrors.answer(http, 500, "invalid probeModify", HttpResponse.JSON_UTF8));
        }
        String timeout = TIMEOUT.orNull(http);
        PollingClient client = PollingClient.of(ConfigActions.client(http, null), sdkOf(http), history);
        List<Listened> changed = changed(records, client);
        if (changed.isEmpty()) {
            return answer(records, changed, client, timeout, http);
        }
        // The client may have a newer content, from another node.
        CompletableFuture<Boolean> look = catchUp.beforeListen().toCompletableFuture();
        return look.isDone() && !look.join()
                ? answer(records, changed, client, timeout, http)
                : look.thenComposeAsync(
                        shown -> answer(records, changed(records, client), client, timeout, http), http.loop());
    }

    /** The agent of the official Java client 1.x is the Java runtime. */
    private static String sdkOf(HttpRequest http) {
        String agent = Objects.requireNonNullElse(http.header("User-Agent"), "");
        String version = Objects.requireNonNullElse(CLIENT_VERSION.orNull(http), "");
        if (version.isEmpty() || agent.contains(version)) {
            return agent;
        }
        return agent.isEmpty() ? version : agent + " (client " + version + ')';
    }

    private CompletionStage<HttpResponse> answer(
            List<Listened> records,
            List<Listened> changed,
            PollingClient client,
            @Nullable String timeout,
            HttpRequest http) {
        boolean begins = "true".equalsIgnoreCase(NO_HANGUP.orNull(http));
        client.polled(begins, records, changed);
        client.answered(changed);
        if (timeout == null) {
            return CompletableFuture.completedFuture(shortPoll(http, changed));
        }
        if (!changed.isEmpty()) {
            return CompletableFuture.completedFuture(ConfigEndpoints.notCachedJson(ListeningConfigs.encode(changed)));
        }
        long millis = timeoutMillis(timeout);
        if (begins) {
            return CompletableFuture.completedFuture(HttpResponse.ok(HttpResponse.JSON_UTF8, ""));
        }
        LongPoll poll = new LongPoll(
                http.loop(),
                records,
                subscriptions,
                listeners,
                client,
                RequestCaller.of(http).principal());
        // Always on the event loop, which detects a disconnect.
        http.loop().execute(() -> park(http, poll, records, client, millis));
        return poll.answered();
    }

    private void park(HttpRequest request, LongPoll poll, List<Listened> records, PollingClient client, long millis) {
        // Long lists of waiting requests would use the memory for large publishes.
        request.forgetBody();
        poll.park();
        request.onAbandon(poll::abandon);
        // Compared again: a change between first comparison and registration was not pushed.
        List<Listened> changed = changed(records, client);
        if (!changed.isEmpty()) {
            poll.answer(changed);
            return;
        }
        poll.expires(timer.newTimeout(fired -> expire(poll), millis, TimeUnit.MILLISECONDS));
    }

    private static void expire(LongPoll poll) {
        try {
            poll.loop().execute(poll::expire);
        } catch (RejectedExecutionException e) {
            log.debug("The event loop of a parked request has ended", e);
        }
    }

    private static long timeoutMillis(String header) {
        try {
            long asked = Long.parseLong(header.trim());
            return Math.max(MIN_TIMEOUT_MILLIS, Math.min(MAX_TIMEOUT_MILLIS, asked) - ANSWER_EARLIER_MILLIS);
        } catch (NumberFormatException e) {
            throw new CairnException(
                    ErrorCode.INVALID_PARAMETER, "Long-Pulling-Timeout: '" + header + "' (expected: milliseconds)", e);
        }
    }

    private HttpResponse shortPoll(HttpRequest request, List<Listened> changed) {
        String version = CLIENT_VERSION.orNull(request);
        HttpResponse.Builder answer = HttpResponse.status(200).notCached();
        if (version == null || isBefore204(version)) {
            answer.header("Probe-Modify-Response", ListeningConfigs.encodeForOldClients(changed));
            answer.header(
                    "Probe-Modify-Response-New",
                    ListeningConfigs.encode(changed).trim());
            return answer.contentType(HttpResponse.JSON_UTF8).withoutBody();
        }
        return answer.contentType(HttpResponse.JSON_UTF8)
                .body(ListeningConfigs.encode(changed).getBytes(StandardCharsets.UTF_8));
    }

    /** Whether a version such as {@code 1.4.8}, perhaps after a name, precedes 2.0.4. */
    private static boolean isBefore204(String version) {
        String digits = version.replaceAll("^[^0-9]*", "");
        String[] parts = digits.split("[^0-9]+", 4);
        int[] limit = {2, 0, 4};
        for (int i = 0; i < limit.length; i++) {
            String part = i < parts.length ? parts[i] : "";
            int number = part.isEmpty() || part.length() > 6 ? 0 : Integer.parseInt(part);
            if (number != limit[i]) {
                return number < limit[i];
            }
        }
        return false;
    }

    private List<Listened> changed(List<Listened> records, PollingClient client) {
        // By key: `public` and no tenant are one namespace, answered once.
        Map<ConfigKey, Listened> changed = new LinkedHashMap<>();
        for (Listened record : records) {
            ConfigEntry entry = configs.find(record.key(), client.reader(), false);
            boolean current =
                    entry == null ? record.md5().isBlank() : entry.digest().matches(record.md5());
            if (!current) {
                changed.putIfAbsent(record.key(), record);
            }
        }
        return List.copyOf(changed.values());
    }
}
