package io.cairn.server.config;

/**
 * @param maxContentBytes in UTF-8
 * @param maxMessageBytes of a gRPC response; clients reject larger ones, so a publish refuses such a content
 */
public record ConfigLimits(int maxContentBytes, int maxMessageBytes) {}
