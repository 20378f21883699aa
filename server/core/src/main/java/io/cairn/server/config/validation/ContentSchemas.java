package io.cairn.server.config.validation;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.networknt.schema.Error;
import com.networknt.schema.OutputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaException;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SchemaRegistryConfig;
import com.networknt.schema.SpecificationVersion;
import com.networknt.schema.path.PathType;
import io.cairn.api.config.ConfigType;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Validates contents against their attached JSON Schema. References must point into the schema or to a standard one; nothing is
 * fetched. The cost is bounded, and compiled schemas are cached by digest.
 *
 * <p>JSON, YAML and TOML are validated as their values; properties as an object of texts, which may also count as numbers or
 * booleans.
 */
final class ContentSchemas {

    /** Characters of cached schemas; a compiled one needs some twenty times their memory. */
    private static final long MAX_KEPT_CHARS = 1 << 20;

    /** Levels of a schema. */
    private static final int MAX_DEPTH = 100;

    private static final String STANDARD = "json-schema.org/";

    private static final JsonMapper JSON = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxNestingDepth(MAX_DEPTH)
                            .build())
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .build())
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private final SchemaRegistry strict = registry(false);
    private final SchemaRegistry loose = registry(true);
    private final Cache<String, Compiled> kept = Caffeine.newBuilder()
            .maximumWeight(MAX_KEPT_CHARS)
            .<String, Compiled>weigher((digest, compiled) -> compiled.weight())
            .build();

    /**
     * @param schema null for an invalid one
     * @param loose for contents with texts alone
     * @param problem of an invalid one
     */
    private record Compiled(
            @Nullable Schema schema,
            @Nullable Schema loose,
            @Nullable String problem,
            int weight) {}

    private static SchemaRegistry registry(boolean typeLoose) {
        SchemaRegistryConfig config = SchemaRegistryConfig.builder()
                .regularExpressionFactory(new ValidationBudget.Patterns())
                .pathType(PathType.JSON_POINTER)
                .locale(Locale.ENGLISH)
                .typeLoose(typeLoose)
                .build();
        // The library has the standard's schemas; its loader of others is never added.
        return SchemaRegistry.withDefaultDialect(
                SpecificationVersion.DRAFT_2020_12, builder -> builder.schemaRegistryConfig(config)
                        .schemaCacheEnabled(false)
                        .schemaLoader(
                                loader -> loader.allow(iri -> iri.toString().contains("://" + STANDARD))));
    }

    /** Whether contents of that type have values for a schema. */
    static boolean isFor(ConfigType type) {
        return switch (type) {
            case JSON, YAML, TOML, PROPERTIES -> true;
            case XML, TEXT, HTML, UNSET -> false;
        };
    }

    /** Why the text is no schema, or empty. */
    Optional<String> problemOf(String schema) {
        return Optional.ofNullable(compiled(schema).problem());
    }

    /** @return the first place where a well-formed content breaks its schema */
    Optional<Problem> check(ConfigType type, String text, String schema) {
        Compiled compiled = compiled(schema);
        if (compiled.problem() != null) {
            return Optional.of(Problem.nowhere("its schema: " + compiled.problem()));
        }
        Schema checks = type == ConfigType.PROPERTIES ? compiled.loose() : compiled.schema();
        if (checks == null) {
            return Optional.empty();
        }
        String plain = text.startsWith("\ufeff") ? text.substring(1) : text;
        return ContentTree.of(type, plain).flatMap(tree -> check(tree, checks));
    }

    private static Optional<Problem> check(ContentTree tree, Schema schema) {
        for (int document = 0; document < tree.documents().size(); document++) {
            try {
                List<Error> errors = errors(schema, tree.documents().get(document));
                if (!errors.isEmpty()) {
                    Error first = errors.get(0);
                    String pointer = first.getInstanceLocation().toString();
                    return Optional.of(tree.problem(document, pointer, words(first)));
                }
            } catch (ValidationBudget.TooMuch e) {
                return Optional.of(Problem.nowhere(String.valueOf(e.getMessage())));
            }
        }
        return Optional.empty();
    }

    private static String words(Error error) {
        String pointer = error.getInstanceLocation().toString();
        String property = error.getProperty();
        return (pointer.isEmpty() ? "" : pointer + ": ")
                + error.getMessage()
                + (property == null || error.getMessage().contains(property) ? "" : " (" + property + ")");
    }

    private static List<Error> errors(Schema schema, JsonNode node) {
        List<Error> errors = new ArrayList<>();
        ValidationBudget effort = new ValidationBudget();
        effort.setFailFast(true);
        try {
            effort.spend(() -> errors.addAll(
                    schema.validate(effort, node, OutputFormat.DEFAULT, context -> context.setFailFast(true))));
        } catch (StackOverflowError e) {
            // The platform's patterns recurse with the text; nothing else is deep enough.
            throw new ValidationBudget.TooMuch("a pattern of its schema is too deep for the text");
        }
        return errors;
    }

    private Compiled compiled(String schema) {
        return kept.get(digest(schema), digest -> compile(schema));
    }

    private Compiled compile(String text) {
        try {
            JsonNode node = JSON.readTree(text);
            if (!node.isObject() && !node.isBoolean()) {
                return refused("it is " + (node.isMissingNode() ? "empty" : "neither an object nor a truth value"));
            }
            List<Error> errors = errors(metaSchema(node), node);
            if (!errors.isEmpty()) {
                return refused(words(errors.get(0)));
            }
            return new Compiled(ready(strict, node), ready(loose, node), null, text.length() + 64);
        } catch (JacksonException e) {
            return refused("line " + e.getLocation().getLineNr() + ", column "
                    + e.getLocation().getColumnNr() + ": " + e.getOriginalMessage());
        } catch (SchemaException | IllegalArgumentException | ValidationBudget.TooMuch e) {
            return refused(String.valueOf(e.getMessage()));
        } catch (StackOverflowError e) {
            return refused("a reference in it leads back to itself");
        }
    }

    private static Schema ready(SchemaRegistry registry, JsonNode node) {
        Schema schema = registry.getSchema(node);
        schema.initializeValidators();
        return schema;
    }

    /** The schema of schemas, in this schema's version of the standard. */
    private Schema metaSchema(JsonNode node) {
        String named = node.path("$schema").asString(SpecificationVersion.DRAFT_2020_12.getDialectId());
        SpecificationVersion version = SpecificationVersion.fromDialectId(named)
                .orElseThrow(() -> new IllegalArgumentException(
                        "$schema: '" + named + "' (expected: draft 4, 6, 7, 2019-09 or 2020-12 of the standard)"));
        return strict.getSchema(SchemaLocation.of(version.getDialectId()));
    }

    private static Compiled refused(String why) {
        String problem = why.length() > Problem.MAX_MESSAGE ? why.substring(0, Problem.MAX_MESSAGE) + "…" : why;
        return new Compiled(null, null, problem, problem.length() + 64);
    }

    private static String digest(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
