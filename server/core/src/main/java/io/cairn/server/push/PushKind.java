package io.cairn.server.push;

public record PushKind(PushSettings settings, PushMeters meters) {}
