package io.cairn.server.http.route;

import io.cairn.server.auth.AuditRecord;
import io.cairn.server.auth.AuditStore;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records requests that change something outside the store, such as connections, after a success. A store records its own changes
 * in their transaction.
 */
public final class HttpAudit {

    private static final Logger log = LoggerFactory.getLogger(HttpAudit.class);

    private final AuditStore store;

    public HttpAudit(AuditStore store) {
        this.store = store;
    }

    public record Done(
            String action, String target, @Nullable String detail) {}

    /** Records the action when the response is a success, and returns the same response. */
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

    /** A failure to store the entry must not fail the finished change; the log has the entry then. */
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
