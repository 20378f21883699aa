package io.cairn.server.support;

/** What a running server says of itself. */
public final class Meters {

    private final CairnExtension cairn;

    public Meters(CairnExtension cairn) {
        this.cairn = cairn;
    }

    /** Clients that are set up. */
    public int connections() {
        return value("cairn.connections");
    }

    /** Pairs of a listener and a configuration. */
    public int listens() {
        return value("cairn.config.listens");
    }

    public int longPolls() {
        return value("cairn.config.long.polls");
    }

    /** Open HTTP connections, that of the one who asks included. */
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
