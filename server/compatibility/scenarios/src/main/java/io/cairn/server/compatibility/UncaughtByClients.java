package io.cairn.server.compatibility;

import org.awaitility.Awaitility;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/**
 * Awaitility ends a wait with an exception that any thread of the JVM leaves uncaught. Here tests run side by side, and a thread of an
 * official client ends so when its client is shut down during a call, which must not end the waits of other tests. JUnit finds this
 * listener by {@code META-INF/services}.
 */
public final class UncaughtByClients implements LauncherSessionListener {
    @Override
    public void launcherSessionOpened(LauncherSession session) {
        Awaitility.doNotCatchUncaughtExceptionsByDefault();
    }
}
