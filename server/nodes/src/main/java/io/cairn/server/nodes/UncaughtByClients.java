package io.cairn.server.nodes;

import org.awaitility.Awaitility;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/** Uncaught exceptions of official clients end no wait. */
public final class UncaughtByClients implements LauncherSessionListener {
    @Override
    public void launcherSessionOpened(LauncherSession session) {
        Awaitility.doNotCatchUncaughtExceptionsByDefault();
    }
}
