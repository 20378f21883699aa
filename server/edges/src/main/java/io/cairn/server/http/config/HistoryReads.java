package io.cairn.server.http.config;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.error.ParameterException;
import io.cairn.server.config.PageRequest;
import io.cairn.server.config.RowPage;
import io.cairn.server.config.history.HistoryEntry;
import io.cairn.server.config.history.HistoryService;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.envelope.DetailCode;
import io.cairn.server.http.envelope.Envelope;
import io.cairn.server.http.envelope.PageBody;
import io.cairn.server.http.naming.PageParameters;
import io.cairn.server.http.route.Answer;
import io.cairn.server.http.route.Endpoints;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.Operation;
import io.cairn.server.http.route.Parameter;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The reads of the history in versions 2 and 3. Does not block. */
public final class HistoryReads {

    /** The id of a change. */
    public static final Parameter<Long> NID =
            Parameter.of("nid", "integer", "The id of the change", HistoryReads::number);

    private static final Parameter<Long> ID =
            Parameter.of("id", "integer", "The id of the configuration", HistoryReads::number);

    private static final String OF_ANOTHER = "Please check dataId, group or namespaceId.";

    private final HistoryService history;
    private final ConfigForm form;
    private final Envelope envelope;
    private final Words<?, ?> words;

    /**
     * The words of one version.
     *
     * @param listed a change in a list
     * @param shown a change with its content
     * @param none the response for an absent change
     */
    public record Words<L extends Record, S extends Record>(
            Class<L> listedShape,
            Function<HistoryEntry, L> listed,
            Class<S> shownShape,
            Function<HistoryEntry, S> shown,
            HttpResponse none) {

        private PageBody<L> page(RowPage<HistoryEntry> page) {
            return PageBody.of(page.map(listed));
        }
    }

    public HistoryReads(HistoryService history, ConfigForm form, Envelope envelope, Words<?, ?> words) {
        this.history = history;
        this.form = form;
        this.envelope = envelope;
        this.words = words;
    }

    /** The list of changes, one change, and the state before the last change. */
    public List<HttpRoute> routes(String path, Endpoints endpoints) {
        return List.of(
                endpoints.get(
                        path + "/list",
                        Operation.of(form.names().and(PageParameters.POSITIVE.both()))
                                .needs(ConfigForm.READ)
                                .answers(Answer.pageOf(words.listedShape))
                                .says("Lists the changes of a configuration, the newest first, without contents"),
                        this::list),
                endpoints.get(
                        path,
                        Operation.of(form.namesAnd(NID.required()))
                                .needs(ConfigForm.READ)
                                .answers(words.shownShape)
                                .says("Shows a change with its content"),
                        this::get),
                endpoints.get(
                        path + "/previous",
                        Operation.of(form.namesAnd(ID.required()))
                                .needs(ConfigForm.READ)
                                .answers(words.shownShape)
                                .says("Shows the content of a configuration before its last change"),
                        this::previous));
    }

    public static PageRequest page(HttpRequest request) {
        return new PageRequest(
                PageParameters.POSITIVE.number().of(request),
                PageParameters.POSITIVE.size().of(request));
    }

    private CompletionStage<HttpResponse> list(ConfigKey key, HttpRequest http) {
        return history.list(key, page(http), http.lease()).thenApply(page -> envelope.written(words.page(page)));
    }

    private CompletionStage<HttpResponse> get(ConfigKey key, HttpRequest http) {
        return find(key, http).thenApply(this::answer);
    }

    /** The state before the last change of the configuration whose row's id is in {@link #ID}. */
    private CompletionStage<HttpResponse> previous(ConfigKey key, HttpRequest http) {
        return history.previous(key, ID.of(http), http.lease()).thenApply(found -> answer(ofKey(key, found)));
    }

    /**
     * The entry for {@link #NID}.
     *
     * @param entry null when absent or refused
     * @param response to a refused one, or null
     */
    public record Found(
            @Nullable HistoryEntry entry, @Nullable HttpResponse response) {}

    /** The entry in {@link #NID}; another configuration's entry is refused. */
    public CompletionStage<Found> find(ConfigKey key, HttpRequest http) {
        return history.find(NID.of(http), http.lease()).thenApply(found -> ofKey(key, found));
    }

    private Found ofKey(ConfigKey key, Optional<HistoryEntry> found) {
        return found.isPresent() && !found.get().key().equals(key)
                ? new Found(null, envelope.failure(403, DetailCode.ACCESS_DENIED, OF_ANOTHER))
                : new Found(found.orElse(null), null);
    }

    private HttpResponse answer(Found found) {
        HttpResponse refused = found.response();
        if (refused != null) {
            return refused;
        }
        HistoryEntry entry = found.entry();
        return entry == null ? words.none : envelope.written(words.shown.apply(entry));
    }

    private static long number(String text, String name) {
        try {
            return Long.parseLong(text.trim());
        } catch (NumberFormatException e) {
            throw ParameterException.notANumber(name, text, e);
        }
    }
}
