package io.cairn.server.naming;

/** Why an instance became unhealthy. */
public enum UnhealthyCause {
    /** Its heartbeats are missing. */
    HEARTBEAT,
    /** The health check of the server failed. */
    CHECK,
    /** An operator or a client has set it. */
    OPERATOR
}
