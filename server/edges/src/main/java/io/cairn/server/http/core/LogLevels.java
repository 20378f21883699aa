package io.cairn.server.http.core;

@FunctionalInterface
public interface LogLevels {

    /**
     * @param log Nacos's name, or the name of a logger of this server
     * @param level such as {@code DEBUG}; other texts are refused
     */
    void set(String log, String level);
}
