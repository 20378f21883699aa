package io.cairn.server.http.naming;

/** Sets at run time how much the registry logs. */
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
