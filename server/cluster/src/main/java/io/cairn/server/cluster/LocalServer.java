package io.cairn.server.cluster;

/** The facts of this server that the other nodes receive. The methods are called every second, and return at once. */
public interface LocalServer {

    /** The last revision of the change log that this server shows. */
    long revision();

    /** Whether what this server shows was compared with the database since the start; before that its revision says nothing. */
    boolean isRevisionKnown();

    /** Clients over gRPC. */
    long connections();

    /** A digest of the settings that must agree on all nodes. */
    long settingsDigest();

    /** A fingerprint of the keys that sign tokens; empty while they are not known. */
    String keysFingerprint();
}
