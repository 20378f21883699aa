package io.cairn.server.subscription;

import io.cairn.api.naming.ServiceKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/** Waits until the consumers of a service on this node have its present list. Never blocks. */
public interface ListAcknowledgements {

    /**
     * The consumers at the begin of a wait.
     *
     * @param acknowledged the number of consumers with the list
     * @param late the consumers without it at the time limit
     */
    record Result(int acknowledged, List<LateSubscriber> late) {

        public Result {
            late = List.copyOf(late);
        }

        Result and(Result other) {
            List<LateSubscriber> all = new ArrayList<>(late);
            all.addAll(other.late);
            all.sort(LateSubscriber.BY_ADDRESS);
            return new Result(acknowledged + other.acknowledged, all);
        }
    }

    /** Sends the list at once where it can be sent, and completes when all have it, or at the time limit. */
    CompletionStage<Result> await(ServiceKey service, Duration within);

    /** As {@link #await}, for consumers that have moved from another node since; without those that cannot have moved. */
    default CompletionStage<Result> again(ServiceKey service, Duration within) {
        return CompletableFuture.completedFuture(new Result(0, List.of()));
    }

    /** The result for a node that did not show a change in time: no consumer has it. */
    CompletionStage<Result> late(ServiceKey service);

    /** All these kinds of consumers together. */
    static ListAcknowledgements of(List<ListAcknowledgements> kinds) {
        List<ListAcknowledgements> all = List.copyOf(kinds);
        return new ListAcknowledgements() {
            @Override
            public CompletionStage<Result> await(ServiceKey service, Duration within) {
                return joined(kind -> kind.await(service, within));
            }

            @Override
            public CompletionStage<Result> again(ServiceKey service, Duration within) {
                return joined(kind -> kind.again(service, within));
            }

            @Override
            public CompletionStage<Result> late(ServiceKey service) {
                return joined(kind -> kind.late(service));
            }

            private CompletionStage<Result> joined(Function<ListAcknowledgements, CompletionStage<Result>> each) {
                // All begin before the first is awaited.
                List<CompletionStage<Result>> begun = all.stream().map(each).toList();
                CompletionStage<Result> sum = CompletableFuture.completedFuture(new Result(0, List.of()));
                for (CompletionStage<Result> one : begun) {
                    sum = sum.thenCombine(one, Result::and);
                }
                return sum;
            }
        };
    }
}
