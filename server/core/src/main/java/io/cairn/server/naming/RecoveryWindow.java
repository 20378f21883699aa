package io.cairn.server.naming;

import io.cairn.server.sdk.Sdk;
import java.time.Duration;

/** The time after a restart for which instances are listed without their publishers. */
public final class RecoveryWindow {

    private RecoveryWindow() {}

    /** @param sdk as it calls itself when it connects; empty when not known */
    public static Duration of(String sdk, Duration least) {
        Duration usual = Sdk.of(sdk).slowestReturn();
        return usual.compareTo(least) > 0 ? usual : least;
    }
}
