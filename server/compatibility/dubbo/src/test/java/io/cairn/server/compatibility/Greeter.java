package io.cairn.server.compatibility;

/** The service; public because Dubbo makes a proxy of it. */
public interface Greeter {
    /** Greets, and says which provider does. */
    String greet(String name);
}
