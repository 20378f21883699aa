package io.cairn.server.wiring.settings;

import io.cairn.server.http.HttpServer;
import io.cairn.server.http.core.PushHistory;
import io.cairn.server.http.events.EventHub;
import io.cairn.server.naming.health.FirstCheck;
import io.cairn.server.subscription.ListenerFindings;
import io.cairn.server.subscription.LostListens;
import io.cairn.server.subscription.MissedChangeRetry;
import java.time.Duration;

/**
 * How long the server waits where no setting says so. Production uses {@link #PRODUCTION}; a test starts a server with
 * shorter values.
 *
 * @param eventHeartbeat the longest pause of an event stream without events
 * @param lateListenersPause the pause between a change and the first look for listeners that did not fetch it
 * @param listenCheck the pause between the set-up of a connection and the question what its client listens to
 * @param changeOnItsWay the age from which a change counts as missed by a listener that does not have it
 * @param pushHistoryPeriod the time that one sample of the push latencies covers
 * @param accountRefresh the pause between two reads of the accounts; each also closes what expired tokens have opened
 * @param maxHttpPatience the longest time for which a body or the reader of a large answer may stand still; whole seconds
 * @param firstHealthCheck when an instance is checked for the first time
 */
public record InternalTimings(
        Duration eventHeartbeat,
        Duration lateListenersPause,
        Duration listenCheck,
        Duration changeOnItsWay,
        Duration pushHistoryPeriod,
        Duration accountRefresh,
        Duration maxHttpPatience,
        FirstCheck firstHealthCheck) {

    public static final InternalTimings PRODUCTION = new InternalTimings(
            EventHub.HEARTBEAT,
            MissedChangeRetry.FIRST,
            LostListens.FIRST,
            ListenerFindings.ON_ITS_WAY,
            PushHistory.PERIOD,
            Duration.ofSeconds(15),
            HttpServer.MAX_PATIENCE,
            FirstCheck.USUAL);

    public InternalTimings withEventHeartbeat(Duration value) {
        return new InternalTimings(
                value,
                lateListenersPause,
                listenCheck,
                changeOnItsWay,
                pushHistoryPeriod,
                accountRefresh,
                maxHttpPatience,
                firstHealthCheck);
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
                firstHealthCheck);
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
                firstHealthCheck);
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
                firstHealthCheck);
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
                firstHealthCheck);
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
                firstHealthCheck);
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
                firstHealthCheck);
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
                value);
    }
}
