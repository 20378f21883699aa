package io.cairn.server.xds;

import io.cairn.api.naming.ServiceKey;
import io.cairn.server.subscription.LateSubscriber;
import io.cairn.server.subscription.ListAcknowledgements;
import io.cairn.server.xds.stream.XdsStream;
import io.cairn.server.xds.view.EndpointWait;
import io.cairn.server.xds.view.MeshViews;
import io.netty.util.Timeout;
import io.netty.util.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/** The mesh clients with the endpoints of a service. Clients that leave count as acknowledged. */
final class MeshAcknowledgements implements ListAcknowledgements {

    private final MeshViews views;
    private final Timer timer;

    MeshAcknowledgements(MeshViews views, Timer timer) {
        this.views = views;
        this.timer = timer;
    }

    @Override
    public CompletionStage<Result> await(ServiceKey service, Duration within) {
        EndpointWait wait = views.await(service);
        Timeout limit = timer.newTimeout(fired -> views.giveUp(wait), within.toNanos(), TimeUnit.NANOSECONDS);
        return wait.result().thenApply(waited -> {
            limit.cancel();
            return result(waited);
        });
    }

    @Override
    public CompletionStage<Result> again(ServiceKey service, Duration within) {
        return await(service, within);
    }

    @Override
    public CompletionStage<Result> late(ServiceKey service) {
        return views.missed(service).result().thenApply(MeshAcknowledgements::result);
    }

    private static Result result(EndpointWait.Result waited) {
        List<LateSubscriber> late = new ArrayList<>();
        waited.behind().forEach(stream -> {
            if (stream instanceof XdsStream each) {
                late.add(each.described());
            }
        });
        late.sort(LateSubscriber.BY_ADDRESS);
        return new Result(waited.streams() - late.size(), late);
    }
}
