package io.cairn.api.wire.config;

import io.cairn.api.config.ConfigKey;

/** How a configuration is spelled in one word: {@code dataId+group+namespace}. */
public final class GroupKey {

    private GroupKey() {}

    /** The word of 3.x, in which the default namespace is {@code public}. */
    public static String spelled(ConfigKey key) {
        return escaped(key.dataId())
                + '+'
                + escaped(key.group())
                + '+'
                + escaped(key.namespace().id());
    }

    private static String escaped(String part) {
        return part.replace("%", "%25").replace("+", "%2B");
    }
}
