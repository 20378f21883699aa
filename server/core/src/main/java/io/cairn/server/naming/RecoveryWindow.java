package io.cairn.server.naming;

import java.time.Duration;

/**
 * For how long after a restart instances are handed out whose publishers are not back. Most SDKs are back within seconds.
 * The one for Python registers its instances anew in a turn that comes every 30 s, and was back after 33 s at the latest;
 * the one for Rust tries to connect less and less often while the server is down, in the end every 64 s, to which its
 * attempts and its turns add some more, and was back after 74 s (versions 3.2.0 and 0.8.3, over a hundred providers).
 */
public final class RecoveryWindow {

    private static final Duration PYTHON = Duration.ofSeconds(45);
    private static final Duration RUST = Duration.ofSeconds(90);

    private RecoveryWindow() {}

    /** @param sdk as it calls itself when it connects; empty when not known */
    public static Duration of(String sdk, Duration least) {
        Duration usual =
                sdk.startsWith("Nacos-Python-Client") ? PYTHON : sdk.startsWith("Nacos-Rust-Client") ? RUST : least;
        return usual.compareTo(least) > 0 ? usual : least;
    }
}
