package io.cairn.client.connection;

/** How far an attempt to connect has got. */
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

    /** What was being done, for people. */
    public String words() {
        return words;
    }
}
