package io.cairn.server.wiring.settings;

import io.cairn.server.http.HttpServer;
import io.cairn.server.http.core.PushHistory;
import io.cairn.server.http.events.EventHub;
import io.cairn.server.naming.health.FirstCheck;
import io.cairn.server.storage.writer.StoreWriter;
import io.cairn.server.subscription.ListenerFindings;
import io.cairn.server.subscription.LostListens;
import io.cairn.server.subscription.MissedChangeRetry;
import java.time.Duration;

/**
 * Waits without a setting. Production uses {@link #PRODUCTION}; tests use shorter ones.
 *
 * @param eventHeartbeat longest pause of an event stream
 * @param lateListenersPause between a change and the first check for listeners that did not fetch it
 * @param listenCheck between the set-up of a connection and the check of its listens
 * @param changeOnItsWay age from which a change counts as missed
 * @param pushHistoryPeriod of one sample of push latencies
 * @param accountRefresh between two reads of the accounts, each of which also applies expired tokens
 * @param maxHttpPatience longest pause of a body or of a large answer's reader; whole seconds
 * @param firstHealthCheck delay of an instance's first check
 * @param callerWaits after which the caller of a write may have given it up
 */
public record InternalTimings(
        Duration eventHeartbeat,
        Duration lateListenersPause,
        Duration listenCheck,
        Duration changeOnItsWay,
        Duration pushHistoryPeriod,
        Duration accountRefresh,
        Duration maxHttpPatience,
        FirstCheck firstHealthCheck,
        Duration callerWaits) {

    public static final InternalTimings PRODUCTION = new InternalTimings(
            EventHub.HEARTBEAT,
            MissedChangeRetry.FIRST,
            LostListens.FIRST,
            ListenerFindings.ON_ITS_WAY,
            PushHistory.PERIOD,
            Duration.ofSeconds(15),
            HttpServer.MAX_PATIENCE,
            FirstCheck.USUAL,
            StoreWriter.Limits.CALLER_WAITS);

    public InternalTimings withEventHeartbeat(Duration value) {
        return new InternalTimings(
                value,
                lateListenersPause,
                listenCheck,
                changeOnItsWay,
                pushHistoryPeriod,
                accountRefresh,
                maxHttpPatience,
                firstHealthCheck,
                callerWaits);
    }

    public InternalTimings withLateListenersPause(Duration value) {
        return new InternalTimings(
                eventHeartbeat,
                value,
                listenCheck,
                changeOnItsWay,
                pushHistoryPeriod,
                accountRefresh,
                maxHttpPatience,
                firstHealthCheck,
                callerWaits);
    }

    public InternalTimings withListenCheck(Duration value) {
        return new InternalTimings(
                eventHeartbeat,
                lateListenersPause,
                value,
                changeOnItsWay,
                pushHistoryPeriod,
                accountRefresh,
                maxHttpPatience,
                firstHealthCheck,
                callerWaits);
    }

    public InternalTimings withChangeOnItsWay(Duration value) {
        return new InternalTimings(
                eventHeartbeat,
                lateListenersPause,
                listenCheck,
                value,
                pushHistoryPeriod,
                accountRefresh,
                maxHttpPatience,
                firstHealthCheck,
                callerWaits);
    }

    public InternalTimings withPushHistoryPeriod(Duration value) {
        return new InternalTimings(
                eventHeartbeat,
                lateListenersPause,
                listenCheck,
                changeOnItsWay,
                value,
                accountRefresh,
                maxHttpPatience,
                firstHealthCheck,
                callerWaits);
    }

    public InternalTimings withAccountRefresh(Duration value) {
        return new InternalTimings(
                eventHeartbeat,
                lateListenersPause,
                listenCheck,
                changeOnItsWay,
                pushHistoryPeriod,
                value,
                maxHttpPatience,
                firstHealthCheck,
                callerWaits);
    }

    public InternalTimings withMaxHttpPatience(Duration value) {
        return new InternalTimings(
                eventHeartbeat,
                lateListenersPause,
                listenCheck,
                changeOnItsWay,
                pushHistoryPeriod,
                accountRefresh,
                value,
                firstHealthCheck,
                callerWaits);
    }

    public InternalTimings withFirstHealthCheck(FirstCheck value) {
        return new InternalTimings(
                eventHeartbeat,
                lateListenersPause,
                listenCheck,
                changeOnItsWay,
                pushHistoryPeriod,
                accountRefresh,
                maxHttpPatience,
                value,
                callerWaits);
    }

    public InternalTimings withCallerWaits(Duration value) {
        return new InternalTimings(
                eventHeartbeat,
                lateListenersPause,
                listenCheck,
                changeOnItsWay,
                pushHistoryPeriod,
                accountRefresh,
                maxHttpPatience,
                firstHealthCheck,
                value);
    }
}
