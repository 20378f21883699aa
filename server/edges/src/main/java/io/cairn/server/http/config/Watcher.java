package io.cairn.server.http.config;

import java.util.Map;

/**
 * A client that listens to a configuration.
 *
 * @param connectionId empty for a poll
 * @param client name and version of its SDK, or empty
 * @param md5 of its content by its reports or reads, or empty
 * @param current whether its content is the present one
 * @param app its application, or empty
 * @param instance the label of its instance, or empty
 * @param since the set-up of its connection, epoch milliseconds; 0 for a poll
 * @param release the gray release that it gets; empty for the content for all
 * @param asks whether it can be asked for its content
 */
public record Watcher(
        String clientIp,
        String connectionId,
        String client,
        String md5,
        boolean current,
        String app,
        String instance,
        Map<String, String> labels,
        long since,
        String release,
        boolean asks,
        String node) {}
