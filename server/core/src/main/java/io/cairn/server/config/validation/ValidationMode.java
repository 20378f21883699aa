package io.cairn.server.config.validation;

/** The treatment of invalid contents without a demand in the request. */
public enum ValidationMode {
    OFF,
    /** Stored and answered; then the log warns of the problem. */
    WARN,
    REFUSE
}
