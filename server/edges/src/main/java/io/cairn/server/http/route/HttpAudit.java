package io.cairn.server.http.route;

import io.cairn.server.auth.AuditRecord;
import io.cairn.server.auth.AuditStore;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The table of routes that change something which is not stored, such as the connections of clients. They are recorded once
 * they have been answered without a failure. What is stored is recorded by the store, together with the change.
 */
public final class HttpAudit {

    private static final Logger log = LoggerFactory.getLogger(HttpAudit.class);

    private final AuditStore store;
    private final Map<String, Function<HttpRequest, @Nullable Done>> table = new HashMap<>();

    public HttpAudit(AuditStore store) {
        this.store = store;
    }

    /** What a request has done. */
    public record Done(
            String action, String target, @Nullable String detail) {}

    /**
     * @param done what to record of a request; null for nothing
     * @param routes {@code METHOD /path}, as the routes are declared
     */
    public HttpAudit put(Function<HttpRequest, @Nullable Done> done, String... routes) {
        for (String route : routes) {
            if (table.put(route, done) != null) {
                throw new IllegalArgumentException("two audit entries for " + route);
            }
        }
        return this;
    }

    /** The routes of the table, {@code METHOD /path}. */
    public Set<String> routes() {
        return Set.copyOf(table.keySet());
    }

    @Nullable
    Function<HttpRequest, @Nullable Done> of(HttpRoute route) {
        return table.get(route.name());
    }

    /** The same response; what was done is recorded once it is there, unless it is a failure. */
    CompletionStage<HttpResponse> recorded(
            HttpRequest request, Function<HttpRequest, @Nullable Done> done, CompletionStage<HttpResponse> response) {
        return response.thenApply(answer -> {
            Done what = answer.status() < 400 ? done.apply(request) : null;
            if (what != null) {
                record(request, what);
            }
            return answer;
        });
    }

    /** What is done already must not fail for its record; then the log has it. */
    private void record(HttpRequest request, Done done) {
        AuditRecord entry = AuditRecord.of(RequestCaller.of(request), done.action, done.target)
                .withDetail(done.detail);
        store.append(entry).whenComplete((stored, failure) -> {
            if (failure != null) {
                Throwable cause = failure instanceof CompletionException && failure.getCause() != null
                        ? failure.getCause()
                        : failure;
                log.warn("{} could not be recorded: {}", entry, cause.getMessage());
            }
        });
    }
}
