package io.cairn.client.connection;

/** The phases of an attempt to connect. */
public enum Phase {
    DNS("looking up the host name"),
    TCP("opening the TCP connection"),
    TLS("the TLS handshake"),
    HTTP2("speaking HTTP/2"),
    SETUP("setting up the connection"),
    HTTP("reaching the HTTP API to log in"),
    AUTH("logging in");

    private final String words;

    Phase(String words) {
        this.words = words;
    }

    /** The action of this phase, for messages. */
    public String words() {
        return words;
    }
}
