package io.cairn.server.push;

/** The retry settings and the meters of pushes of one kind. */
public record PushKind(PushSettings settings, PushMeters meters) {}
