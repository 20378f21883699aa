package io.cairn.server.config;

/**
 * What a content may weigh.
 *
 * @param maxContentBytes of its UTF-8 form
 * @param maxMessageBytes of the answer in which a gRPC client receives it; clients refuse larger ones, so such a content
 *     is refused at publish
 */
public record ConfigLimits(int maxContentBytes, int maxMessageBytes) {}
