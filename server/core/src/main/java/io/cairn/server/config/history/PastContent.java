package io.cairn.server.config.history;

/** The content of a configuration that all clients got at a past time. */
public record PastContent(String content, String md5) {}
