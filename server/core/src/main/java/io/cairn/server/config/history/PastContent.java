package io.cairn.server.config.history;

/** The content for all clients at a past time. */
public record PastContent(String content, String md5) {}
