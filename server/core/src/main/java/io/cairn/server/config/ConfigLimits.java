package io.cairn.server.config;

/**
 * Size limits of a content.
 *
 * @param maxContentBytes of its UTF-8 form
 * @param maxMessageBytes of the response in which a gRPC client receives it; clients reject larger ones, so such a
 *     content is refused at publish
 */
public record ConfigLimits(int maxContentBytes, int maxMessageBytes) {}
