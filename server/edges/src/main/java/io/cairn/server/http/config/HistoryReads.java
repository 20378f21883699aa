package io.cairn.server.http.config;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.error.ParameterException;
import io.cairn.server.config.PageRequest;
import io.cairn.server.config.history.HistoryEntry;
import io.cairn.server.config.history.HistoryService;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.envelope.DetailCode;
import io.cairn.server.http.envelope.Envelope;
import io.cairn.server.http.naming.NamingParameters;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Looks up the history for versions 2 and 3. Thread-safe; nothing blocks. */
public final class HistoryReads {

    private static final String OF_ANOTHER = "Please check dataId, group or namespaceId.";

    private final HistoryService history;
    private final ConfigForm form;
    private final Envelope envelope;

    public HistoryReads(HistoryService history, ConfigForm form, Envelope envelope) {
        this.history = history;
        this.form = form;
        this.envelope = envelope;
    }

    /** The page that is asked for. */
    public static PageRequest page(HttpRequest request) {
        return new PageRequest(
                NamingParameters.number(request, "pageNo", 1), NamingParameters.number(request, "pageSize", 100));
    }

    /** The changes of the configuration that the request names, as the writer words each. */
    public CompletionStage<HttpResponse> list(HttpRequest request, Function<HistoryEntry, byte[]> writer) {
        ConfigKey key = form.key(request);
        return history.list(key, page(request)).thenApply(page -> {
            byte[] json = ConfigJson.page(page.map(writer));
            return envelope.success(json.length, out -> out.json("data", json));
        });
    }

    /** The entry in {@code nid}; one of another configuration is refused. */
    public CompletionStage<HttpResponse> get(
            HttpRequest request, Function<Optional<HistoryEntry>, HttpResponse> response) {
        return find(request).thenApply(found -> answer(found, response));
    }

    /**
     * What there is for {@code nid}.
     *
     * @param entry null when there is none, or it is refused
     * @param response to one that is refused; null otherwise
     */
    public record Found(
            @Nullable HistoryEntry entry, @Nullable HttpResponse response) {}

    /** As {@link #get}, for those who do more with it. */
    public CompletionStage<Found> find(HttpRequest request) {
        ConfigKey key = form.key(request);
        return history.find(id(request, "nid")).thenApply(found -> ofKey(key, found));
    }

    /** The state before the last change of the configuration whose row's id is in {@code id}; another's is refused. */
    public CompletionStage<HttpResponse> previous(
            HttpRequest request, Function<Optional<HistoryEntry>, HttpResponse> response) {
        ConfigKey key = form.key(request);
        return history.previous(key, id(request, "id")).thenApply(found -> answer(ofKey(key, found), response));
    }

    private Found ofKey(ConfigKey key, Optional<HistoryEntry> found) {
        return found.isPresent() && !found.get().key().equals(key)
                ? new Found(null, envelope.failure(403, DetailCode.ACCESS_DENIED, OF_ANOTHER))
                : new Found(found.orElse(null), null);
    }

    private static HttpResponse answer(Found found, Function<Optional<HistoryEntry>, HttpResponse> response) {
        HttpResponse refused = found.response();
        return refused != null ? refused : response.apply(Optional.ofNullable(found.entry()));
    }

    /** A number that must be there. */
    public static long id(HttpRequest request, String parameter) {
        String text = request.parameter(parameter);
        if (text == null || text.isBlank()) {
            throw ParameterException.missing(parameter);
        }
        try {
            return Long.parseLong(text.trim());
        } catch (NumberFormatException e) {
            throw ParameterException.notANumber(parameter, text, e);
        }
    }
}
