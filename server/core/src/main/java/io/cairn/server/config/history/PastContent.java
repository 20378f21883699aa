package io.cairn.server.config.history;

/** What all clients got of a configuration at some time. */
public record PastContent(String content, String md5) {}
