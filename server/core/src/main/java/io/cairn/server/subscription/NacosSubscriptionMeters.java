package io.cairn.server.subscription;

import io.cairn.server.metrics.nacos.NacosMeters;
import io.cairn.server.push.PushLatencies;
import java.util.List;
import java.util.function.IntSupplier;
import java.util.function.ToDoubleFunction;

/** Listeners, subscribers and pushes for dashboards for Nacos. */
public final class NacosSubscriptionMeters {

    private static final double MICROS_PER_MILLI = 1_000;
    /** Nacos's value for no pushes. */
    private static final double NO_PUSHES = -1;

    /**
     * @param overUdp number of subscribers over UDP
     * @param pushes of services
     * @param pendingServices changed services with waiting subscribers
     * @param pendingConfigs the same of configurations
     */
    public NacosSubscriptionMeters(
            NacosMeters meters,
            ConfigListeners listeners,
            ServiceSubscriptions subscriptions,
            IntSupplier overUdp,
            PushLatencies pushes,
            IntSupplier pendingServices,
            IntSupplier pendingConfigs) {
        meters.monitor("config", "longPolling", listeners::parkedPolls);
        meters.monitor("config", "notifyClientTask", pendingConfigs::getAsInt);
        meters.listeners("v1", listeners::parkedListens);
        meters.listeners("v2", () -> Math.max(0, listeners.listens() - listeners.parkedListens()));
        meters.monitor("naming", "pushPendingTaskCount", pendingServices::getAsInt);
        meters.monitor("naming", "subscriberCount", subscriptions::pairs);
        meters.monitor("naming", "totalPush", () -> meters.acknowledgedPushes("service"));
        meters.monitor("naming", "failedPush", () -> meters.failedPushes("service"));
        meters.monitor("naming", "avgPushCost", () -> lately(pushes, PushLatencies.Sample::meanMicros));
        meters.monitor("naming", "maxPushCost", () -> lately(pushes, PushLatencies.Sample::maxMicros));
        meters.subscribers("v1", overUdp::getAsInt);
        meters.subscribers("v2", () -> Math.max(0, subscriptions.pairs() - overUdp.getAsInt()));
    }

    /** In milliseconds, of the last ended period. */
    private static double lately(PushLatencies pushes, ToDoubleFunction<PushLatencies.Sample> micros) {
        List<PushLatencies.Sample> samples = pushes.samples();
        PushLatencies.Sample last = samples.isEmpty() ? null : samples.get(samples.size() - 1);
        return last == null || last.count() == 0 ? NO_PUSHES : micros.applyAsDouble(last) / MICROS_PER_MILLI;
    }
}
