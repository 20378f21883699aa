package io.cairn.server.http.config;

import java.util.Map;

/**
 * The listeners of a configuration, or the configurations of an address, in version 3.
 *
 * @param queryType {@code config} or {@code ip}
 * @param listenersStatus the md5 by address or configuration
 */
public record Listeners(String queryType, Map<String, String> listenersStatus) {}
