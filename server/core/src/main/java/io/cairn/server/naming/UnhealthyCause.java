package io.cairn.server.naming;

/** Why an instance became unhealthy. */
public enum UnhealthyCause {
    HEARTBEAT,
    CHECK,
    /** An operator or client has set it. */
    OPERATOR
}
