package io.cairn.server.config;

import io.cairn.api.config.ConfigType;
import java.util.Locale;

/** Nacos's rule for a configuration without a type: by the ending of its name. */
public final class TypeOfName {

    private TypeOfName() {}

    public static ConfigType of(String dataId) {
        String ending = dataId.substring(dataId.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT);
        return switch (ending) {
            case "yml" -> ConfigType.YAML;
            case "htm" -> ConfigType.HTML;
            case "unset" -> ConfigType.TEXT;
            default -> dataId.indexOf('.') < 0 ? ConfigType.TEXT : ConfigType.ofWireName(ending);
        };
    }
}
