package io.cairn.server.naming;

/** Why an instance became unhealthy. */
public enum UnhealthyCause {
    /** Its heartbeats are missing. */
    HEARTBEAT,
    /** The health check of the server failed. */
    CHECK,
    /** Somebody set it so. */
    OPERATOR
}
