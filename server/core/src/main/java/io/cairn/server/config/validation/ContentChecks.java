package io.cairn.server.config.validation;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ConfigType;
import io.cairn.server.config.PublishConfig;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Knows which contents are looked at and what follows, and looks at them. Thread-safe; looking may block. */
public final class ContentChecks {

    private final ValidationMode mode;
    private final Function<ConfigKey, Optional<String>> attached;
    private final RequiredCheck required;
    private final ContentValidator validator = new ContentValidator();
    private final ContentSchemas schemas = new ContentSchemas();

    /**
     * @param mode for requests that do not say
     * @param attached the schema that is stored with a configuration; blocks
     * @param required the check of configurations that the server itself reads, which is made in every mode
     */
    public ContentChecks(ValidationMode mode, Function<ConfigKey, Optional<String>> attached, RequiredCheck required) {
        this.mode = mode;
        this.attached = attached;
        this.required = required;
    }

    /** Whether there is something to look at. An encrypted content has its format for those who hold the key only. */
    static boolean concern(PublishConfig command) {
        ConfigType type = command.attributes().type();
        return command.attributes().encryptedDataKey().isEmpty()
                && (hasFormat(type) || hasSchema(command.attributes().schema()));
    }

    private static boolean hasFormat(ConfigType type) {
        return type != ConfigType.TEXT && type != ConfigType.HTML && type != ConfigType.UNSET;
    }

    private static boolean hasSchema(@Nullable String schema) {
        return schema != null && !schema.isBlank();
    }

    /** Whether contents are looked at before they are stored, and refused. */
    public boolean refuse(boolean asked) {
        return asked || mode == ValidationMode.REFUSE;
    }

    /** Whether contents are looked at, be it after they were stored. */
    public boolean look(boolean asked) {
        return asked || mode != ValidationMode.OFF;
    }

    /** Whether that content is checked before it is stored, and may be refused. */
    boolean mayRefuse(PublishConfig command, boolean asked) {
        return required.concerns(command.key()) || refuse(asked) && concern(command);
    }

    /** Whether any content may be refused. */
    public boolean mayRefuseAny(boolean asked) {
        return refuse(asked) || required != RequiredCheck.NONE;
    }

    /** Whether a problem that {@link #findAny} found keeps the content from being stored. */
    public boolean refuses(Finding finding, boolean asked) {
        return finding.kind() == Finding.Kind.NOT_READABLE || refuse(asked);
    }

    /** The reason for which that content must not be stored; empty when there is none. Blocks. */
    public Optional<Finding> refusal(PublishConfig command, boolean asked) {
        Optional<Finding> unreadable = required.concerns(command.key()) ? required.find(command) : Optional.empty();
        return unreadable.isPresent() || !refuse(asked) ? unreadable : find(command);
    }

    /** A problem with that content, whether it is a reason for a refusal or not; empty when there is none. Blocks. */
    public Optional<Finding> findAny(PublishConfig command, boolean asked) {
        Optional<Finding> refusal = refusal(command, asked);
        return refusal.isPresent() || !look(asked) ? refusal : find(command);
    }

    /** The first thing that is wrong; empty when nothing is, or there is nothing to look at. Blocks. */
    public Optional<Finding> find(PublishConfig command) {
        if (!concern(command)) {
            return Optional.empty();
        }
        ConfigType type = command.attributes().type();
        String given = command.attributes().schema();
        if (given != null && hasSchema(given)) {
            Optional<String> problem = schemas.problemOf(given);
            if (problem.isPresent()) {
                return Optional.of(new Finding(Finding.Kind.NO_SCHEMA, type, Problem.nowhere(problem.get())));
            }
        }
        String text = new String(command.utf8(), StandardCharsets.UTF_8);
        Optional<Finding> malformed =
                validator.check(type, text).map(problem -> new Finding(Finding.Kind.MALFORMED, type, problem));
        if (malformed.isPresent() || !ContentSchemas.isFor(type)) {
            return malformed;
        }
        Optional<String> schema = given == null ? attached.apply(command.key()) : Optional.of(given);
        return schema.filter(ContentChecks::hasSchema)
                .flatMap(known -> schemas.check(type, text, known))
                .map(problem -> new Finding(Finding.Kind.NOT_AS_SCHEMA, type, problem));
    }
}
