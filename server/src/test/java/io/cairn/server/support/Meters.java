package io.cairn.server.support;

/** The meters of a running server. */
public final class Meters {

    private final CairnExtension cairn;

    public Meters(CairnExtension cairn) {
        this.cairn = cairn;
    }

    /** The number of connected clients that have sent their setup. */
    public int connections() {
        return value("cairn.connections");
    }

    /** The number of pairs of a listener and a configuration. */
    public int listens() {
        return value("cairn.config.listens");
    }

    public int longPolls() {
        return value("cairn.config.long.polls");
    }

    /** The number of open HTTP connections, including the caller's own. */
    public int httpConnections() {
        return value("cairn.http.connections");
    }

    public int configs() {
        return value("cairn.configs");
    }

    private int value(String name) {
        return new Gauge(cairn, name).value();
    }
}
