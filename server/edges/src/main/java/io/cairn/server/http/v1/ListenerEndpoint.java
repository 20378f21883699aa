package io.cairn.server.http.v1;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.config.ConfigEntry;
import io.cairn.server.config.ConfigService;
import io.cairn.server.config.GrayRule;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.route.ContainerErrors;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.RequestCaller;
import io.cairn.server.http.v1.ListeningConfigs.Listened;
import io.cairn.server.push.Subscriptions;
import io.cairn.server.subscription.ConfigListeners;
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

/**
 * {@code POST /v1/cs/configs/listener}: long polling, by which all 1.x clients listen. A parked request holds no thread.
 */
public final class ListenerEndpoint {

    private static final long MIN_TIMEOUT_MILLIS = 10_000;
    private static final long MAX_TIMEOUT_MILLIS = 10 * 60_000;
    private static final long ANSWER_EARLIER_MILLIS = 500;
    private static final Logger log = LoggerFactory.getLogger(ListenerEndpoint.class);

    private final ConfigService configs;
    private final Subscriptions<ConfigKey> subscriptions;
    private final Timer timer;
    private final ContainerErrors containerErrors;
    private final ConfigListeners listeners;

    public ListenerEndpoint(
            ConfigService configs,
            Subscriptions<ConfigKey> subscriptions,
            Timer timer,
            ContainerErrors containerErrors,
            ConfigListeners listeners) {
        this.configs = configs;
        this.subscriptions = subscriptions;
        this.timer = timer;
        this.containerErrors = containerErrors;
        this.listeners = listeners;
    }

    public List<HttpRoute> routes() {
        return List.of(HttpRoute.post(ConfigEndpoints.PATH + "/listener", new V1ConfigErrors(), this::listen)
                .longPoll());
    }

    private CompletionStage<HttpResponse> listen(HttpRequest request) {
        String value = request.parameter("Listening-Configs");
        if (value == null || value.isBlank()) {
            throw new CairnException(ErrorCode.INVALID_PARAMETER, "invalid probeModify");
        }
        List<Listened> records = parse(value);
        if (records == null) {
            return CompletableFuture.completedFuture(
                    containerErrors.answer(request, 500, "invalid probeModify", HttpResponse.JSON_UTF8));
        }
        String timeout = request.header("Long-Pulling-Timeout");
        List<Listened> changed = changed(records, ConfigEndpoints.client(request, null));
        if (timeout == null) {
            return CompletableFuture.completedFuture(shortPoll(request, changed));
        }
        if (!changed.isEmpty()) {
            return CompletableFuture.completedFuture(ConfigEndpoints.notCachedJson(ListeningConfigs.encode(changed)));
        }
        long millis = timeoutMillis(timeout);
        if ("true".equalsIgnoreCase(request.header("Long-Pulling-Timeout-No-Hangup"))) {
            return CompletableFuture.completedFuture(HttpResponse.ok(HttpResponse.JSON_UTF8, ""));
        }
        LongPoll poll = new LongPoll(
                request.loop(),
                records,
                subscriptions,
                listeners,
                ConfigEndpoints.client(request, null),
                Objects.requireNonNullElse(request.header("User-Agent"), ""),
                RequestCaller.of(request).principal());
        // On the loop also when a long list was read elsewhere: there the client's going away is noticed.
        request.loop().execute(() -> park(request, poll, records, millis));
        return poll.answered();
    }

    private static @Nullable List<Listened> parse(String value) {
        try {
            return ListeningConfigs.parse(value);
        } catch (IllegalArgumentException e) {
            throw new CairnException(
                    ErrorCode.INVALID_PARAMETER, "Listening-Configs is not properly percent-encoded", e);
        }
    }

    private void park(HttpRequest request, LongPoll poll, List<Listened> records, long millis) {
        // Long lists would keep large publishes from their memory for as long as they wait.
        request.forgetBody();
        poll.park();
        request.onAbandon(poll::abandon);
        // Compared once more: a change between the first comparison and the registration was not pushed.
        List<Listened> changed = changed(records, ConfigEndpoints.client(request, null));
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
        String version = request.header("Client-Version");
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

    /** Whether a version such as {@code 1.4.8}, with or without a name before it, is older than 2.0.4. */
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

    private List<Listened> changed(List<Listened> records, GrayRule.Client client) {
        // By key: `public` and no tenant are one namespace, which is answered once.
        Map<ConfigKey, Listened> changed = new LinkedHashMap<>();
        for (Listened record : records) {
            ConfigEntry entry = configs.find(record.key(), client, false);
            boolean current =
                    entry == null ? record.md5().isBlank() : entry.digest().matches(record.md5());
            if (!current) {
                changed.putIfAbsent(record.key(), record);
            }
        }
        return List.copyOf(changed.values());
    }
}
