package io.cairn.server.http.route;

import io.cairn.api.wire.RevisionHeaders;
import io.cairn.server.http.envelope.SilentNodes;
import io.cairn.server.http.route.Form.Body;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The OpenAPI 3.1 reference, derived from the routes. */
public final class OpenApiDocument {

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final Parameter<String> REST =
            Parameter.text("rest", "The rest of the path").required();
    private static final String SCHEMAS = "#/components/schemas/";

    private final String contextPath;
    private final String version;

    public OpenApiDocument(String contextPath, String version) {
        this.contextPath = contextPath;
        this.version = version;
    }

    /** Whether a route belongs to the API and must declare its parameters and answers. */
    public static boolean isApi(HttpRoute route) {
        return route.path().startsWith("/v") && !route.atRoot();
    }

    private static boolean isListed(HttpRoute route) {
        return isApi(route) && route.operation().sentence() != null;
    }

    public String of(List<HttpRoute> routes) {
        ObjectNode document = JSON.createObjectNode();
        document.put("openapi", "3.1.0");
        document.putObject("info")
                .put("title", "Cairn")
                .put("version", version)
                .put(
                        "description",
                        "The HTTP API of a Cairn server, which is that of Nacos 1.x (/v1), 2.x (/v2) and 3.x (/v3), and"
                                + " what Cairn adds below /v3/admin.");
        document.putArray("servers").addObject().put("url", contextPath.isEmpty() ? "/" : contextPath);
        TreeMap<String, TreeMap<String, ObjectNode>> paths = new TreeMap<>();
        for (HttpRoute route : routes) {
            Operation<?> operation = route.operation();
            if (isListed(route)) {
                paths.computeIfAbsent(path(route), path -> new TreeMap<>())
                        .put(route.method().toLowerCase(Locale.ROOT), operation(route, operation));
            }
        }
        ObjectNode all = document.putObject("paths");
        paths.forEach((path, methods) -> {
            ObjectNode item = all.putObject(path);
            methods.forEach(item::set);
        });
        ObjectNode schemas = document.putObject("components").putObject("schemas");
        TreeMap<String, ObjectNode> shapes = new TreeMap<>();
        shapes(routes).forEach((name, type) -> shapes.put(name, shape(type)));
        shapes.forEach(schemas::set);
        return JSON.writerWithDefaultPrettyPrinter()
                        .writeValueAsString(document)
                        .replace("\r\n", "\n")
                + '\n';
    }

    private static Map<String, Class<? extends Record>> shapes(List<HttpRoute> routes) {
        Map<String, Class<? extends Record>> found = new HashMap<>();
        for (HttpRoute route : routes) {
            Class<? extends Record> shape = route.operation().answer().shape();
            if (shape != null && isListed(route)) {
                Class<? extends Record> other = found.put(shape.getSimpleName(), shape);
                if (other != null && other != shape) {
                    throw new IllegalStateException("two responses of the API have one name: " + other.getName()
                            + " and " + shape.getName() + " (expected: different simple names)");
                }
            }
        }
        return found;
    }

    private static String path(HttpRoute route) {
        return route.path().endsWith("/**")
                ? route.path().substring(0, route.path().length() - "**".length()) + "{rest}"
                : route.path();
    }

    private static ObjectNode operation(HttpRoute route, Operation<?> operation) {
        ObjectNode json = JSON.createObjectNode();
        json.put("summary", operation.sentence());
        json.putArray("tags").add(tag(route.path()));
        boolean hasForm = route.method().equals("POST") || route.method().equals("PUT");
        ArrayNode parameters = JSON.createArrayNode();
        if (route.path().endsWith("/**")) {
            parameter(parameters, REST, "path");
        }
        for (Parameter<?> parameter : operation.parameters()) {
            if (parameter.inHeader() || !hasForm || operation.form().body() != null) {
                parameter(parameters, parameter, parameter.inHeader() ? "header" : "query");
            }
        }
        if (!parameters.isEmpty()) {
            json.set("parameters", parameters);
        }
        body(json, operation, hasForm);
        ObjectNode answer = json.putObject("responses").putObject("200");
        answer.put("description", operation.answer().text());
        if (operation.answersRevision()) {
            ObjectNode headers = answer.putObject("headers");
            header(headers, RevisionHeaders.REVISION, "integer", "The revision of the last change that was made");
            header(
                    headers,
                    RevisionHeaders.VISIBLE,
                    "string",
                    "In a cluster: how many nodes in service show the change, as in 3/3");
        }
        if (operation.parameters().stream()
                .anyMatch(parameter -> parameter.name().equals(RevisionHeaders.MIN_REVISION))) {
            header(
                    answer.putObject("headers"),
                    RevisionHeaders.STALE,
                    "integer",
                    "In a cluster: for how many seconds the node may have missed changes, where it is behind and cannot read what is"
                            + " stored");
        }
        if (operation.isOfAllNodes()) {
            header(
                    answer.putObject("headers"),
                    SilentNodes.HEADER,
                    "string",
                    "In a cluster: the nodes that did not answer, whose part is missing. An object that is not keyed by"
                            + " names says so as well, in the members complete (false) and silentNodes");
        }
        answer(answer.putObject("content"), route, operation);
        return json;
    }

    private static void header(ObjectNode headers, String name, String type, String description) {
        headers.putObject(name)
                .put("description", description)
                .putObject("schema")
                .put("type", type);
    }

    private static String tag(String path) {
        String[] parts = path.split("/");
        int size = path.startsWith("/v3") && parts.length > 3 ? 3 : 2;
        return String.join(" ", List.of(parts).subList(1, Math.min(parts.length, size + 1)));
    }

    private static void parameter(ArrayNode parameters, Parameter<?> declared, String in) {
        ObjectNode parameter = parameters.addObject();
        parameter.put("name", declared.name()).put("in", in);
        parameter.put("description", declared.sentence());
        if (declared.isRequired()) {
            parameter.put("required", true);
        }
        value(parameter.putObject("schema"), declared);
    }

    /** The type of a parameter, its default, its limits and the values that have a meaning. */
    private static void value(ObjectNode json, Parameter<?> declared) {
        Parameter.Schema schema = declared.schema();
        json.put("type", schema.type());
        if (schema.fallback() != null) {
            json.putPOJO("default", schema.fallback());
        }
        if (schema.least() != null) {
            json.putPOJO("minimum", schema.least());
        }
        if (schema.most() != null) {
            json.putPOJO("maximum", schema.most());
        }
        if (!schema.values().isEmpty()) {
            ArrayNode values = json.putArray("enum");
            schema.values().forEach(values::add);
        }
    }

    private static void body(ObjectNode json, Operation<?> operation, boolean hasForm) {
        if (operation.form().body() == Body.JSON) {
            json.putObject("requestBody").putObject("content").putObject("application/json");
        } else if (operation.form().body() == Body.UPLOAD) {
            json.putObject("requestBody").putObject("content").putObject("application/octet-stream");
        } else if (operation.form().body() == Body.FILE) {
            ObjectNode schema = json.putObject("requestBody")
                    .putObject("content")
                    .putObject("multipart/form-data")
                    .putObject("schema");
            schema.put("type", "object")
                    .putObject("properties")
                    .putObject("file")
                    .put("type", "string");
            schema.putArray("required").add("file");
        } else if (hasForm && operation.parameters().stream().anyMatch(parameter -> !parameter.inHeader())) {
            ObjectNode schema = json.putObject("requestBody")
                    .put("description", "Each of them may stand in the query instead.")
                    .putObject("content")
                    .putObject("application/x-www-form-urlencoded")
                    .putObject("schema");
            schema.put("type", "object");
            ObjectNode properties = schema.putObject("properties");
            ArrayNode required = JSON.createArrayNode();
            for (Parameter<?> parameter : operation.parameters()) {
                if (!parameter.inHeader()) {
                    ObjectNode property = properties.putObject(parameter.name());
                    value(property, parameter);
                    property.put("description", parameter.sentence());
                    if (parameter.isRequired()) {
                        required.add(parameter.name());
                    }
                }
            }
            if (!required.isEmpty()) {
                schema.set("required", required);
            }
        }
    }

    private static void answer(ObjectNode content, HttpRoute route, Operation<?> operation) {
        switch (operation.wrapping()) {
            case TEXT -> content.putObject("text/plain").putObject("schema").put("type", "string");
            case FILE -> content.putObject("application/octet-stream");
            case EVENTS ->
                content.putObject("text/event-stream").putObject("schema").put("type", "string");
            case BARE -> content.putObject("application/json").set("schema", schema(operation.answer()));
            case OLD_ENVELOPE -> content.putObject("application/json").set("schema", envelope(operation.answer()));
            case USUAL ->
                content.putObject("application/json")
                        .set(
                                "schema",
                                route.path().startsWith("/v1")
                                        ? schema(operation.answer())
                                        : envelope(operation.answer()));
        }
    }

    private static ObjectNode envelope(Answer data) {
        ObjectNode schema = JSON.createObjectNode().put("type", "object");
        ObjectNode properties = schema.putObject("properties");
        properties.putObject("code").put("type", "integer");
        properties.putObject("message").put("type", "string");
        properties.set("data", schema(data));
        return schema;
    }

    private static ObjectNode schema(Answer data) {
        ObjectNode item = JSON.createObjectNode();
        if (data.shape() != null) {
            item.put("$ref", SCHEMAS + data.type());
        } else {
            item.put("type", data.type());
        }
        return switch (data.kind()) {
            case ONE -> item;
            case LIST -> list(item);
            case PAGE -> {
                ObjectNode page = JSON.createObjectNode().put("type", "object");
                ObjectNode properties = page.putObject("properties");
                for (String count : List.of("totalCount", "pageNumber", "pagesAvailable")) {
                    properties.putObject(count).put("type", "integer");
                }
                properties.set("pageItems", list(item));
                yield page;
            }
        };
    }

    private static ObjectNode list(ObjectNode item) {
        ObjectNode array = JSON.createObjectNode().put("type", "array");
        array.set("items", item);
        return array;
    }

    private static ObjectNode shape(Class<? extends Record> type) {
        ObjectNode shape = JSON.createObjectNode().put("type", "object");
        ObjectNode properties = shape.putObject("properties");
        Answer.members(type)
                .forEach((name, jsonType) -> properties.putObject(name).put("type", jsonType));
        return shape;
    }
}
