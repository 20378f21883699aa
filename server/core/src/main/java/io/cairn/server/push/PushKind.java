package io.cairn.server.push;

/** How pushes of one kind are repeated and counted. */
public record PushKind(PushSettings settings, PushMeters meters) {}
