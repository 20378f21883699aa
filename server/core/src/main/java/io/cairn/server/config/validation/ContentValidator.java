package io.cairn.server.config.validation;

import io.cairn.api.config.ConfigType;
import java.util.Optional;

/**
 * Finds the first place where a content is malformed. Reads the text once, builds no objects (except TOML's tree), resolves no
 * external reference, and stops at {@value #MAX_DEPTH} levels.
 */
public final class ContentValidator {

    /** No reader of configurations accepts deeper contents. */
    static final int MAX_DEPTH = 500;

    /**
     * @param type the declared one; text, HTML and unset are always well-formed
     * @return the first problem, if any
     */
    public Optional<Problem> check(ConfigType type, String text) {
        String plain = text.startsWith("\ufeff") ? text.substring(1) : text;
        return switch (type) {
            case JSON -> JsonCheck.check(plain);
            case YAML -> YamlCheck.check(plain);
            case XML -> XmlCheck.check(plain);
            case TOML -> TomlCheck.check(plain);
            case PROPERTIES -> PropertiesCheck.check(plain);
            case TEXT, HTML, UNSET -> Optional.empty();
        };
    }
}
