package io.cairn.server.http.core;

/** Sets at run time how much a part of the server logs. */
@FunctionalInterface
public interface LogLevels {

    /**
     * Sets the level of a log.
     *
     * @param log what Nacos calls it, or the name of a logger of this server
     * @param level such as {@code DEBUG}; anything else than a level is refused
     */
    void set(String log, String level);
}
