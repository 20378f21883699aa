package io.cairn.server.nodes;

import org.awaitility.Awaitility;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/**
 * Awaitility ends a wait with an exception that any thread of the JVM leaves uncaught, such as one of an official client that is shut
 * down during a call. JUnit finds this listener by {@code META-INF/services}.
 */
public final class UncaughtByClients implements LauncherSessionListener {
    @Override
    public void launcherSessionOpened(LauncherSession session) {
        Awaitility.doNotCatchUncaughtExceptionsByDefault();
    }
}
