package io.cairn.server.config.validation;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ConfigType;
import io.cairn.server.config.PublishConfig;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Decides on validation of contents and its effect, and validates them. Validation may block. */
public final class ContentChecks {

    private final ValidationMode mode;
    private final Function<ConfigKey, Optional<String>> attached;
    private final RequiredCheck required;
    private final ContentValidator validator = new ContentValidator();
    private final ContentSchemas schemas = new ContentSchemas();

    /**
     * @param mode for requests without one
     * @param attached the schema stored with a configuration; blocks
     * @param required the check of configurations that the server reads, in every mode
     */
    public ContentChecks(ValidationMode mode, Function<ConfigKey, Optional<String>> attached, RequiredCheck required) {
        this.mode = mode;
        this.attached = attached;
        this.required = required;
    }

    /** Whether the content can be validated; an encrypted one cannot. */
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

    /** Whether to validate before the store, and refuse. */
    public boolean refuse(boolean asked) {
        return asked || mode == ValidationMode.REFUSE;
    }

    /** Whether to validate at all. */
    public boolean validates(boolean asked) {
        return asked || mode != ValidationMode.OFF;
    }

    /** Whether that content is checked before the store, and may be refused. */
    boolean mayRefuse(PublishConfig command, boolean asked) {
        return required.concerns(command.key()) || refuse(asked) && concern(command);
    }

    public boolean mayRefuseAny(boolean asked) {
        return refuse(asked) || required != RequiredCheck.NONE;
    }

    /** Whether a problem of {@link #findAny} prevents the store. */
    public boolean refuses(Finding finding, boolean asked) {
        return finding.kind() == Finding.Kind.NOT_READABLE || refuse(asked);
    }

    /** Why the content must not be stored, or empty. Blocks. */
    public Optional<Finding> refusal(PublishConfig command, boolean asked) {
        Optional<Finding> unreadable = required.concerns(command.key()) ? required.find(command) : Optional.empty();
        return unreadable.isPresent() || !refuse(asked) ? unreadable : find(command);
    }

    /** A problem, whether it refuses the content or not. Blocks. */
    public Optional<Finding> findAny(PublishConfig command, boolean asked) {
        Optional<Finding> refusal = refusal(command, asked);
        return refusal.isPresent() || !validates(asked) ? refusal : find(command);
    }

    /** The first problem; empty also for contents that cannot be validated. Blocks. */
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
