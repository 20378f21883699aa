package io.cairn.cli.migrate;

import java.util.Map;

public record ServiceSettings(double protectThreshold, Map<String, String> metadata, String selector) {

    public static final ServiceSettings NONE = new ServiceSettings(0, Map.of(), "");

    public ServiceSettings {
        metadata = Map.copyOf(metadata);
    }
}
