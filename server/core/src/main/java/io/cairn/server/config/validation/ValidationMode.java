package io.cairn.server.config.validation;

/** What becomes of a content that is not well-formed, where the request does not say. */
public enum ValidationMode {
    /** It is stored, unseen. */
    OFF,
    /** It is stored and answered, and then a line in the log says where it is wrong. */
    WARN,
    /** It is not stored. */
    REFUSE
}
