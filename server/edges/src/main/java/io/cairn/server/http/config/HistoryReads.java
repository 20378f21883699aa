package io.cairn.server.http.config;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.error.ParameterException;
import io.cairn.server.config.Page;
import io.cairn.server.config.PageRequest;
import io.cairn.server.config.history.HistoryEntry;
import io.cairn.server.config.history.HistoryService;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.envelope.DetailCode;
import io.cairn.server.http.envelope.Envelope;
import io.cairn.server.http.envelope.PageBody;
import io.cairn.server.http.naming.NamingParameters;
import io.cairn.server.http.route.Answer;
import io.cairn.server.http.route.Endpoints;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.Operation;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The reads of the history that versions 2 and 3 share, in the words of one of them. Thread-safe; nothing blocks. */
public final class HistoryReads {

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
     * @param none the response for a change that is not there
     */
    public record Words<L extends Record, S extends Record>(
            Class<L> listedShape,
            Function<HistoryEntry, L> listed,
            Class<S> shownShape,
            Function<HistoryEntry, S> shown,
            HttpResponse none) {

        private PageBody<L> page(Page<HistoryEntry> page) {
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
                        Operation.of(form.namesAnd("pageNo:integer pageSize:integer"))
                                .needs(ConfigForm.READ)
                                .answers(Answer.pageOf(words.listedShape))
                                .says("Lists the changes of a configuration, the newest first, without contents"),
                        this::list),
                endpoints.get(
                        path,
                        Operation.of(form.namesAnd("nid!:integer"))
                                .needs(ConfigForm.READ)
                                .answers(words.shownShape)
                                .says("Shows a change with its content"),
                        this::get),
                endpoints.get(
                        path + "/previous",
                        Operation.of(form.namesAnd("id!:integer"))
                                .needs(ConfigForm.READ)
                                .answers(words.shownShape)
                                .says("Shows the content of a configuration before its last change"),
                        this::previous));
    }

    /** The page that is asked for. */
    public static PageRequest page(HttpRequest request) {
        return new PageRequest(
                NamingParameters.number(request, "pageNo", 1), NamingParameters.number(request, "pageSize", 100));
    }

    private CompletionStage<HttpResponse> list(ConfigKey key, HttpRequest http) {
        return history.list(key, page(http)).thenApply(page -> envelope.written(words.page(page)));
    }

    private CompletionStage<HttpResponse> get(ConfigKey key, HttpRequest http) {
        return find(key, http).thenApply(this::answer);
    }

    /** The state before the last change of the configuration whose row's id is in {@code id}. */
    private CompletionStage<HttpResponse> previous(ConfigKey key, HttpRequest http) {
        return history.previous(key, id(http, "id")).thenApply(found -> answer(ofKey(key, found)));
    }

    /**
     * The entry for {@code nid}.
     *
     * @param entry null when there is none, or it is refused
     * @param response to one that is refused; null otherwise
     */
    public record Found(
            @Nullable HistoryEntry entry, @Nullable HttpResponse response) {}

    /** The entry in {@code nid}; one of another configuration is refused. */
    public CompletionStage<Found> find(ConfigKey key, HttpRequest http) {
        return history.find(id(http, "nid")).thenApply(found -> ofKey(key, found));
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
