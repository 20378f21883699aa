package io.cairn.cli.migrate;

public record ConfigVersion(String md5, String attributes) {}
