package io.cairn.server.xds.view;

import io.cairn.api.naming.ServiceKey;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A wait until the streams with the endpoints of a service have acknowledged the present ones. For the mesh thread. */
public final class EndpointWait {

    private final ServiceKey service;
    private final CompletableFuture<Result> result = new CompletableFuture<>();
    /** Null before the first check. */
    private @Nullable Set<Subscriber> behind;

    private int streams;

    EndpointWait(ServiceKey service) {
        this.service = service;
    }

    /**
     * @param streams number of streams with the endpoints at the first check
     * @param behind the streams that have not acknowledged the present endpoints
     */
    public record Result(int streams, List<Subscriber> behind) {

        public Result {
            behind = List.copyOf(behind);
        }
    }

    /** Fails when the views are closed. By any thread. */
    public CompletionStage<Result> result() {
        return result;
    }

    /** True once all have acknowledged. */
    boolean check(Collection<MeshView> views) {
        Set<Subscriber> present = behind;
        if (present == null) {
            present = streams(views);
            streams = present.size();
            behind = present;
        }
        present.removeIf(stream -> !stream.isBehind(service));
        return present.isEmpty() && end();
    }

    void giveUp(Collection<MeshView> views) {
        if (!check(views)) {
            end();
        }
    }

    /** This node does not show the change. */
    void miss(Collection<MeshView> views) {
        behind = streams(views);
        streams = behind.size();
        end();
    }

    void fail(RuntimeException why) {
        result.completeExceptionally(why);
    }

    private boolean end() {
        result.complete(new Result(streams, behind == null ? List.of() : List.copyOf(behind)));
        return true;
    }

    private Set<Subscriber> streams(Collection<MeshView> views) {
        List<Subscriber> all = new ArrayList<>();
        for (MeshView view : views) {
            if (view.key().namespace().equals(service.namespace())) {
                view.copyStreamsWithEndpoints(service, all);
            }
        }
        return new HashSet<>(all);
    }
}
