package io.cairn.server.config.validation;

/** The treatment of an invalid content, unless the request demands validation. */
public enum ValidationMode {
    /** It is stored without validation. */
    OFF,
    /** It is stored and the publish is answered; then a warning in the log names the problem. */
    WARN,
    /** It is refused. */
    REFUSE
}
