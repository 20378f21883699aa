package io.cairn.server.http.config;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.error.ParameterException;
import io.cairn.server.config.PageRequest;
import io.cairn.server.config.history.HistoryEntry;
import io.cairn.server.config.history.HistoryService;
import io.cairn.server.http.HttpAnswer;
import io.cairn.server.http.HttpCall;
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
    public static PageRequest page(HttpCall call) {
        return new PageRequest(
                NamingParameters.number(call, "pageNo", 1), NamingParameters.number(call, "pageSize", 100));
    }

    /** The changes of the configuration that the request names, as the writer words each. */
    public CompletionStage<HttpAnswer> list(HttpCall call, Function<HistoryEntry, byte[]> writer) {
        ConfigKey key = form.key(call);
        return history.list(key, page(call)).thenApply(page -> {
            byte[] json = ConfigJson.page(page.map(writer));
            return envelope.success(json.length, out -> out.json("data", json));
        });
    }

    /** The entry in {@code nid}; one of another configuration is refused. */
    public CompletionStage<HttpAnswer> get(HttpCall call, Function<Optional<HistoryEntry>, HttpAnswer> answer) {
        return find(call).thenApply(found -> answer(found, answer));
    }

    /**
     * What there is for {@code nid}.
     *
     * @param entry null when there is none, or it is refused
     * @param answer to one that is refused; null otherwise
     */
    public record Found(
            @Nullable HistoryEntry entry, @Nullable HttpAnswer answer) {}

    /** As {@link #get}, for those who do more with it. */
    public CompletionStage<Found> find(HttpCall call) {
        ConfigKey key = form.key(call);
        return history.find(id(call, "nid")).thenApply(found -> ofKey(key, found));
    }

    /** The state before the last change of the configuration whose row's id is in {@code id}; another's is refused. */
    public CompletionStage<HttpAnswer> previous(HttpCall call, Function<Optional<HistoryEntry>, HttpAnswer> answer) {
        ConfigKey key = form.key(call);
        return history.previous(key, id(call, "id")).thenApply(found -> answer(ofKey(key, found), answer));
    }

    private Found ofKey(ConfigKey key, Optional<HistoryEntry> found) {
        return found.isPresent() && !found.get().key().equals(key)
                ? new Found(null, envelope.failure(403, DetailCode.ACCESS_DENIED, OF_ANOTHER))
                : new Found(found.orElse(null), null);
    }

    private static HttpAnswer answer(Found found, Function<Optional<HistoryEntry>, HttpAnswer> answer) {
        HttpAnswer refused = found.answer();
        return refused != null ? refused : answer.apply(Optional.ofNullable(found.entry()));
    }

    /** A number that must be there. */
    public static long id(HttpCall call, String parameter) {
        String text = call.parameter(parameter);
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
