package io.cairn.server.http.config;

import java.util.Map;

/**
 * The listeners of a configuration, or the configurations that an address listens to, in version 3.
 *
 * @param queryType {@code config} or {@code ip}
 * @param listenersStatus the md5 that is held, by address or by configuration
 */
public record Listeners(String queryType, Map<String, String> listenersStatus) {}
