package io.cairn.server.cluster;

import io.cairn.server.change.Following;

/** The facts of a server that never change. */
record FixedServer(long settingsDigest, String keysFingerprint) implements LocalServer {

    @Override
    public boolean isRevisionKnown() {
        return true;
    }

    @Override
    public Following following() {
        return new Following();
    }

    @Override
    public long revision() {
        return 1;
    }

    @Override
    public long lastCommit() {
        return 1;
    }

    @Override
    public long connections() {
        return 0;
    }
}
