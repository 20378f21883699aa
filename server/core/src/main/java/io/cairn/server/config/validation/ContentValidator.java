package io.cairn.server.config.validation;

import io.cairn.api.config.ConfigType;
import java.util.Optional;

/**
 * Finds the first place at which a content is not well-formed. Thread-safe. Reads the text once, builds no objects from it
 * (TOML's tree aside), resolves no reference out of it, and stops at {@value #MAX_DEPTH} levels of nesting.
 */
public final class ContentValidator {

    /** Maximum nesting; a deeper content is a problem, because no reader of configurations accepts it. */
    static final int MAX_DEPTH = 500;

    /**
     * @param type in which the text is declared; text, HTML and unset ones are always in order
     * @return the first problem; empty when there is none
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
