package io.cairn.server.wiring;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.wire.FromHeader;
import io.cairn.api.wire.MessageCatalog;
import io.cairn.server.metrics.MeterNames;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The pages of {@code docs/reference} are made of what the code says, and are the same as it. {@code
 * -Dcairn.reference.write=true} writes them anew.
 */
class ReferencePagesTest {

    private static final Path PAGES = Path.of("..", "docs", "reference");
    private static final Path SETTINGS = Path.of("..", "distribution", "conf", "application.properties");
    private static final Pattern SECTION = Pattern.compile("# -{2,} (.*?) -{2,}");
    private static final Pattern SETTING = Pattern.compile("#([a-z][\\w.-]*)=(.*)");

    @Test
    void settings() throws IOException {
        StringBuilder page = new StringBuilder("""
                # Settings
                Made from `conf/application.properties` of an installation, which a test holds against the settings that the server \
                binds. A setting stands in that file, or behind `bin/startup.sh` as `--name=value`, which wins. Everything that Spring \
                Boot lets one set (`logging.*`, `management.*`) works as well.
                """);
        List<String> above = new ArrayList<>();
        List<String> group = new ArrayList<>();
        for (String line : Files.readAllLines(SETTINGS)) {
            Matcher section = SECTION.matcher(line);
            Matcher setting = SETTING.matcher(line);
            if (section.matches()) {
                page.append("\n## ").append(section.group(1)).append('\n');
                above.clear();
            } else if (setting.matches()) {
                group.add("`" + setting.group(1) + "`"
                        + (setting.group(2).isBlank() ? "" : " = `" + setting.group(2) + "`"));
            } else if (line.startsWith("# ")) {
                above.add(line.substring(2));
            } else if (line.isBlank()) {
                entry(page, group, above);
                group.clear();
                above.clear();
            }
        }
        entry(page, group, above);

        assertThat(page.toString()).contains("cairn.shutdown.drain").contains("spring.sql.init.platform");
        hold("configuration.md", page.toString());
    }

    private static void entry(StringBuilder page, List<String> settings, List<String> explained) {
        if (!settings.isEmpty()) {
            page.append('\n')
                    .append(String.join("  \n", settings))
                    .append("\n\n")
                    .append(String.join("\n", explained).replace("\nDefault: ", "  \nDefault: "))
                    .append('\n');
        }
    }

    @Test
    void meters() throws Exception {
        StringBuilder page = new StringBuilder("""
                # Meters
                Generated from the code. `GET /nacos/actuator/prometheus` has all of them under the names of Prometheus, with their \
                descriptions as `HELP`, and the meters of the JVM, the process and the log. A timer has `_count`, `_sum` and `_max`, in seconds.

                Dashboards and alerts made for Nacos find these meters under the names of Nacos: `nacos_monitor` of the modules `config` \
                (`configCount`, `publish`, `getConfig`, `longPolling`, `notifyClientTask`), `naming` (`serviceCount`, `ipCount`, `subscriberCount`, \
                `totalPush`, `failedPush`, `pushPendingTaskCount`, `avgPushCost` and `maxPushCost` of the last five seconds, `httpHealthCheck`, \
                `tcpHealthCheck`, `mysqlHealthCheck`) and `core` (`longConnection`), `nacos_timer_seconds` (`readConfigRt`, `writeConfigRt`), \
                `nacos_exception_total` (`db`), `nacos_config_subscriber`, `nacos_naming_subscriber` and `nacos_naming_publisher`, \
                `http_server_requests_seconds` (`method`, `uri`, `status`), `grpc_server_requests_seconds` (`requestClass`, `outcome`), and of the event \
                loops `grpc_server_executor` (`poolSize`, `maximumPoolSize`, `inQueueTaskCount`). Queues, tasks and Raft groups that only Nacos has are \
                not among them.

                | meter | in Prometheus | kind | description |
                |---|---|---|---|
                """);
        for (MeterNames.Described meter : MeterNames.all()) {
            page.append("| `")
                    .append(meter.name())
                    .append("` | `")
                    .append(meter.name().replace('.', '_'))
                    .append(suffix(meter.kind()))
                    .append("` | ")
                    .append(meter.kind().name().toLowerCase(Locale.ROOT))
                    .append(" | ")
                    .append(meter.text())
                    .append(" |\n");
        }

        assertThat(MeterNames.all()).hasSameSizeAs(MeterNames.class.getFields());
        hold("meters.md", page.toString());
    }

    private static String suffix(MeterNames.Kind kind) {
        return switch (kind) {
            case TIMER -> "_seconds";
            case COUNTER -> "_total";
            case GAUGE -> "";
        };
    }

    @Test
    void endpoints() throws IOException {
        JsonNode paths = JsonMapper.shared()
                .readTree(Files.readString(PAGES.resolve("openapi.json")))
                .get("paths");
        StringBuilder page = new StringBuilder("""
                # HTTP endpoints
                Made from [openapi.json](openapi.json), which is made from the code and served at `/nacos/v3/openapi.json`; there stand the \
                types and the answers as well. `*` marks what must be there. How versions differ in wording: \
                [The HTTP API](../guide/http-api.md).
                """);
        Map<String, StringBuilder> sections = new TreeMap<>();
        paths.properties().forEach(path -> {
            String section = section(path.getKey());
            path.getValue().properties().forEach(operation -> {
                String method = operation.getKey().toUpperCase(Locale.ROOT);
                if (!Set.of("GET", "POST", "PUT", "PATCH", "DELETE").contains(method)) {
                    return;
                }
                sections.computeIfAbsent(
                                section,
                                absent ->
                                        new StringBuilder("| endpoint | what it does | parameters |\n|---|---|---|\n"))
                        .append("| `")
                        .append(method)
                        .append(' ')
                        .append(path.getKey())
                        .append("` | ")
                        .append(operation
                                .getValue()
                                .path("summary")
                                .asString("")
                                .replace("|", "\\|"))
                        .append(" | ")
                        .append(String.join(", ", parameters(operation.getValue())))
                        .append(" |\n");
            });
        });
        sections.forEach((name, table) ->
                page.append("\n## ").append(name).append("\n\n").append(table));

        assertThat(sections).hasSizeGreaterThan(5);
        hold("rest.md", page.toString());
    }

    /** Version and part, such as {@code v3/admin}. */
    private static String section(String path) {
        String[] parts = path.replaceFirst("^/nacos", "").split("/");
        return parts.length < 3 ? "others" : parts[1] + '/' + parts[2];
    }

    private static List<String> parameters(JsonNode operation) {
        List<String> names = new ArrayList<>();
        for (JsonNode parameter : operation.path("parameters")) {
            names.add('`'
                    + parameter.path("name").asString()
                    + '`'
                    + (parameter.path("required").asBoolean(false) ? "\\*" : ""));
        }
        for (JsonNode content : operation.path("requestBody").path("content")) {
            JsonNode schema = content.path("schema");
            Set<String> required = schema.path("required")
                    .valueStream()
                    .map(JsonNode::asString)
                    .collect(Collectors.toSet());
            schema.path("properties")
                    .propertyNames()
                    .forEach(name -> names.add('`' + name + '`' + (required.contains(name) ? "\\*" : "")));
        }
        return names;
    }

    @Test
    void messages() throws Exception {
        StringBuilder page = new StringBuilder("""
                # gRPC messages
                Made from the code. The port is the HTTP port + 1000. A message is a `Payload` (its type's name, headers, and a JSON object as \
                bytes): requests go over the unary method `/Request/request` and are answered there; a client that wants to be told of \
                changes opens `/BiRequestStream/requestBiStream`, sends a `ConnectionSetupRequest` first, and answers each push with the \
                response of the same name and `requestId`. Fields that a server does not know are skipped. An answer has `resultCode` 200, or \
                500 with `errorCode` and `message`. A token goes in the header `accessToken`.

                | message | sent by | what it is for | fields that are read |
                |---|---|---|---|
                """);
        List<String> untold = new ArrayList<>();
        for (Field field : MessageCatalog.class.getFields()) {
            if (field.getType() != String.class || !field.getName().endsWith("_REQUEST")) {
                continue;
            }
            String type = (String) field.get(null);
            String purpose = PURPOSES.get(type);
            if (purpose == null) {
                untold.add(type);
                continue;
            }
            page.append("| `")
                    .append(type)
                    .append("` | ")
                    .append(purpose.startsWith("server: ") ? "server" : "client")
                    .append(" | ")
                    .append(purpose.replaceFirst("^server: ", ""))
                    .append(" | ")
                    .append(fields(type))
                    .append(" |\n");
        }

        assertThat(untold).as("say in PURPOSES what they are for").isEmpty();
        hold("grpc.md", page.toString());
    }

    private static String fields(String type) {
        for (String part : List.of("connection", "config", "naming")) {
            try {
                RecordComponent[] components =
                        Class.forName("io.cairn.api.wire." + part + '.' + type).getRecordComponents();
                return components == null
                        ? ""
                        : Arrays.stream(components)
                                .map(ReferencePagesTest::field)
                                .collect(Collectors.joining(", "));
            } catch (ClassNotFoundException e) {
                continue;
            }
        }
        return "";
    }

    private static String field(RecordComponent component) {
        FromHeader header = component.getAnnotation(FromHeader.class);
        return header == null ? '`' + component.getName() + '`' : "header `" + header.value() + '`';
    }

    private static final Map<String, String> PURPOSES = Map.ofEntries(
            Map.entry("ServerCheckRequest", "asks for the id of the connection"),
            Map.entry("HealthCheckRequest", "shows that the client is alive, and asks whether the server is"),
            Map.entry("ConnectionSetupRequest", "introduces the client on its stream"),
            Map.entry("SetupAckRequest", "server: what this server offers, to a client that negotiates"),
            Map.entry("ClientDetectionRequest", "server: asks a silent client whether it is still there"),
            Map.entry("ConnectResetRequest", "server: asks the client to connect to another server"),
            Map.entry(
                    "ClientConfigMetricRequest",
                    "server: asks an official Java client how many configurations it wants to listen to"),
            Map.entry("ConfigQueryRequest", "reads a configuration"),
            Map.entry("ConfigPublishRequest", "publishes one, also on the condition of a digest, or as a gray release"),
            Map.entry("ConfigRemoveRequest", "deletes one"),
            Map.entry(
                    "ConfigBatchListenRequest",
                    "listens to configurations, or no longer; answered with those that differ"),
            Map.entry("ConfigChangeNotifyRequest", "server: a configuration has changed"),
            Map.entry("ConfigFuzzyWatchRequest", "watches the names of configurations by a pattern"),
            Map.entry("ConfigFuzzyWatchSyncRequest", "server: the names that match a pattern, in batches"),
            Map.entry("ConfigFuzzyWatchChangeNotifyRequest", "server: a name that matches has come or gone"),
            Map.entry("InstanceRequest", "registers or deregisters an instance of this connection"),
            Map.entry("BatchInstanceRequest", "registers several instances of a service at once"),
            Map.entry(
                    "InstanceDrainRequest",
                    "takes an instance out of the lists; answered when all consumers have that"),
            Map.entry("PersistentInstanceRequest", "registers or deregisters an instance that stays"),
            Map.entry("ServiceQueryRequest", "reads the instances of a service"),
            Map.entry("SubscribeServiceRequest", "follows a service, or no longer; answered with its instances"),
            Map.entry("ServiceListRequest", "lists the names of services"),
            Map.entry("NotifySubscriberRequest", "server: the instances of a service that is followed"),
            Map.entry("NamingFuzzyWatchRequest", "watches the names of services by a pattern"),
            Map.entry("NamingFuzzyWatchSyncRequest", "server: the names that match a pattern, in batches"),
            Map.entry("NamingFuzzyWatchChangeNotifyRequest", "server: a name that matches has come or gone"));

    private static void hold(String name, String page) throws IOException {
        Path file = PAGES.resolve(name);
        if (Boolean.getBoolean("cairn.reference.write") || Boolean.getBoolean("cairn.openapi.write")) {
            Files.writeString(file, page);
        }
        assertThat(file)
                .as("write it anew with -Dcairn.reference.write=true")
                .exists()
                .content()
                .isEqualTo(page);
    }
}
