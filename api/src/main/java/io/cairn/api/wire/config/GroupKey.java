package io.cairn.api.wire.config;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.Namespace;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;

/** The key of a configuration in one text: {@code dataId+group+namespace}. */
public final class GroupKey {

    private GroupKey() {}

    /** The format of 2.x, without the default namespace. */
    public static String shortened(ConfigKey key) {
        return key.namespace().isDefault() ? escaped(key.dataId()) + '+' + escaped(key.group()) : spelled(key);
    }

    /** The format of 3.x, with {@code public} for the default namespace. */
    public static String spelled(ConfigKey key) {
        return escaped(key.dataId())
                + '+'
                + escaped(key.group())
                + '+'
                + escaped(key.namespace().id());
    }

    /**
     * Reads a key; without a namespace in the default namespace.
     *
     * @throws CairnException {@code INVALID_PARAMETER} for another format
     */
    public static ConfigKey read(String spelled) {
        String[] parts = spelled.split("\\+", -1);
        if (parts.length < 2 || parts.length > 3 || parts[0].isBlank() || parts[1].isBlank()) {
            throw new CairnException(
                    ErrorCode.INVALID_PARAMETER, "groupKey: '" + spelled + "' (expected: dataId+group+namespace)");
        }
        Namespace namespace = Namespace.ofNullable(parts.length == 3 ? unescaped(parts[2]) : null);
        return new ConfigKey(namespace, unescaped(parts[1]), unescaped(parts[0]));
    }

    private static String unescaped(String part) {
        return part.replace("%2B", "+").replace("%25", "%");
    }

    private static String escaped(String part) {
        return part.replace("%", "%25").replace("+", "%2B");
    }
}
