package io.cairn.server.auth;

/** The callers for which a part of the API exists. Each kind can need a login of its own, as in Nacos 3. */
public enum ApiKind {
    /** Applications with an SDK or a proxy: gRPC, xDS, and the paths that clients of Nacos call. */
    CLIENT,
    /** Operators and their programs: all other paths. */
    ADMINISTRATION,
    /** The paths of Nacos's console, and the pages of the console. */
    CONSOLE
}
