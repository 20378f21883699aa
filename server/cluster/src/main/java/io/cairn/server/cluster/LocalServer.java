package io.cairn.server.cluster;

import io.cairn.server.change.Following;

/** Facts of this server for the other nodes. The methods are called every second and return at once. */
public interface LocalServer {

    long revision();

    /** As {@link io.cairn.server.change.RevisionFollower#lastCommit()}. */
    long lastCommit();

    /** Whether this server has compared its contents with the database since the start; the revision is invalid before. */
    boolean isRevisionKnown();

    Following following();

    long connections();

    long settingsDigest();

    String keysFingerprint();
}
