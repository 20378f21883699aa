package io.cairn.server.envoy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.DescriptorProtos.DescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import io.cairn.api.error.CairnException;
import io.cairn.server.mesh.EnvoyResources;
import io.cairn.server.mesh.EnvoyResources.Checked;
import io.cairn.server.mesh.EnvoyResources.EnvoyResource;
import io.cairn.server.mesh.EnvoyResources.ResourceProblem;
import io.cairn.server.mesh.EnvoyResources.UnknownFields;
import io.cairn.server.mesh.StoredName;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Sound resources pass, faulty ones are refused with field and line. The files are named by their dataId. */
class DescribedResourcesTest {

    private static final EnvoyResources RESOURCES = create(UnknownFields.REFUSE);

    private static EnvoyResources create(UnknownFields unknownFields) {
        return ServiceLoader.load(EnvoyResources.Provider.class)
                .findFirst()
                .orElseThrow()
                .create(null, unknownFields);
    }

    static List<Path> good() throws IOException, URISyntaxException {
        return files("good");
    }

    static List<Path> faulty() throws IOException, URISyntaxException {
        return files("faulty");
    }

    private static List<Path> files(String folder) throws IOException, URISyntaxException {
        Path path = Path.of(Objects.requireNonNull(DescribedResourcesTest.class.getResource(folder))
                .toURI());
        try (Stream<Path> files = Files.list(path)) {
            List<Path> sorted = files.sorted().toList();
            assertThat(sorted).hasSizeGreaterThanOrEqualTo(20);
            return sorted;
        }
    }

    private static StoredName name(Path file) {
        String dataId = file.getFileName().toString().replaceFirst("\\.(yaml|json)$", "");
        return StoredName.of(dataId).orElseThrow();
    }

    @ParameterizedTest
    @MethodSource("good")
    void takesSoundResource(Path file) throws IOException {
        Checked checked = RESOURCES.check(name(file), Files.readString(file));
        assertThat(checked.problems()).isEmpty();
        assertThat(checked.warnings()).isEmpty();
        EnvoyResource resource = Objects.requireNonNull(checked.resource());
        assertThat(resource.name()).isEqualTo(name(file).name());
        assertThat(resource.typeUrl()).isEqualTo(name(file).kind().typeUrl());
        // Its JSON form is the same resource again.
        String json = RESOURCES.json(resource.typeUrl(), resource.value());
        Checked again = RESOURCES.check(name(file), json);
        assertThat(again.problems()).isEmpty();
        assertThat(Objects.requireNonNull(again.resource()).value()).isEqualTo(resource.value());
    }

    /** The first line of each file is a comment with the expected line and path. */
    @ParameterizedTest
    @MethodSource("faulty")
    void refusesFaultyResourceWithPathAndLine(Path file) throws IOException {
        String content = Files.readString(file);
        String[] expected =
                content.substring(2, content.indexOf('\n')).stripTrailing().split(" ", 2);
        Checked checked = RESOURCES.check(name(file), content);
        assertThat(checked.resource()).isNull();
        assertThat(checked.problems()).hasSize(1);
        ResourceProblem problem = checked.problems().get(0);
        assertThat(problem.path()).as(problem.text()).isEqualTo(expected.length == 1 ? "" : expected[1]);
        assertThat(problem.line()).as(problem.text()).isEqualTo(Integer.parseInt(expected[0]));
        assertThat(problem.message()).isNotBlank();
    }

    static List<Path> judged() throws IOException, URISyntaxException {
        return files("judged");
    }

    /**
     * The first line of each file is a comment with the outcome of the check and the path of the problem or warning; the second
     * one has the verdict of a real Envoy, from {@code envoy --mode validate}.
     */
    @ParameterizedTest
    @MethodSource("judged")
    void judgesByTheTextAsEnvoyDoes(Path file) throws IOException {
        String content = Files.readString(file);
        String[] expected =
                content.substring(2, content.indexOf('\n')).stripTrailing().split(" ", 2);
        Checked checked = RESOURCES.check(name(file), content);
        assertThat(checked.problems())
                .extracting(ResourceProblem::path)
                .containsExactlyElementsOf(expected[0].equals("refused") ? List.of(expected[1]) : List.of());
        assertThat(checked.warnings())
                .extracting(ResourceProblem::path)
                .containsExactlyElementsOf(expected[0].equals("warned") ? List.of(expected[1]) : List.of());
        assertThat(checked.problems()).allSatisfy(problem -> {
            assertThat(problem.line()).as(problem.text()).isGreaterThan(2);
            assertThat(problem.message()).contains("(expected: ");
        });
        // It can be read: what was stored before the check knew this stays with the proxies that take it.
        assertThat(checked.resource()).isNotNull();
    }

    @Test
    void reportsTheExpectedValue() {
        assertThat(
                        texts(
                                "route.a",
                                "virtual_hosts: [{name: a, domains: ['*'], routes: [{match: {prefix: /}, route: {cluster: a, timeout: 3}}]}]"))
                .containsExactly(
                        "virtual_hosts[0].routes[0].route.timeout: '3' (expected: a duration in seconds, such as"
                                + " 0.25s or 30s)");
        assertThat(texts("listener.a", "address: {socket_address: {address: 0.0.0.0, port_value: 65536}}"))
                .containsExactly("address.socket_address.port_value: 65536 (expected: at most 65535)");
        assertThat(texts("cluster.a", "lb_policy: FAIR"))
                .singleElement()
                .asString()
                .startsWith("lb_policy: 'FAIR' (expected: ROUND_ROBIN, LEAST_REQUEST, ");
        assertThat(texts("route.a", "virtual_hosts: [{name: '', domains: []}]"))
                .containsExactly(
                        "virtual_hosts[0].name: is empty (expected: at least 1 character)",
                        "virtual_hosts[0].domains: is empty (expected: at least 1 item)");
    }

    private static List<String> texts(String dataId, String content) {
        return RESOURCES.check(StoredName.of(dataId).orElseThrow(), content).problems().stream()
                .map(ResourceProblem::text)
                .toList();
    }

    @Test
    void collectsTheClustersThatAreNamed() throws Exception {
        assertThat(clusters("route.canary")).containsExactlyInAnyOrder("orders~version=1", "orders~version=2");
        assertThat(clusters("route.mirror")).containsExactlyInAnyOrder("orders", "orders-shadow", "chat");
        assertThat(clusters("listener.tcp")).containsExactlyInAnyOrder("mysql-a", "mysql-b");
        assertThat(clusters("listener.ext-authz")).containsExactly("authorization");
        assertThat(clusters("listener.jwt")).containsExactly("login");
        assertThat(clusters("cluster.aggregate")).containsExactlyInAnyOrder("primary", "secondary");
        assertThat(clusters("cluster.eds")).containsExactly("orders");
        assertThat(clusters("cluster.subsets")).containsExactly("subsets");
        assertThat(clusters("cluster.http2")).isEmpty();
    }

    private static Iterable<String> clusters(String dataId) throws Exception {
        Path file = good().stream()
                .filter(path -> path.getFileName().toString().startsWith(dataId + "."))
                .findFirst()
                .orElseThrow();
        return Objects.requireNonNull(
                        RESOURCES.check(name(file), Files.readString(file)).resource())
                .clusters();
    }

    @Test
    void leavesUnknownFieldsOutWhereTheyAreWarnings() {
        StoredName name = StoredName.of("cluster.a").orElseThrow();
        Checked checked = create(UnknownFields.WARN).check(name, "type: STATIC\nfuture_field: {a: 1}\n");
        assertThat(checked.problems()).isEmpty();
        assertThat(checked.warnings()).singleElement().satisfies(warning -> {
            assertThat(warning.path()).isEqualTo("future_field");
            assertThat(warning.line()).isEqualTo(2);
        });
        assertThat(checked.resource()).isNotNull();
    }

    @Test
    void warnsOfDeprecatedFields() {
        StoredName name = StoredName.of("cluster.a").orElseThrow();
        Checked checked = RESOURCES.check(name, "type: STATIC\nhttp2_protocol_options: {}\n");
        assertThat(checked.problems()).isEmpty();
        assertThat(checked.warnings()).extracting(ResourceProblem::path).containsExactly("http2_protocol_options");
    }

    @Test
    void expressionThatWouldTakeAllMemoryIsNotCompiled() {
        StoredName name = StoredName.of("route.a").orElseThrow();
        Checked checked = RESOURCES.check(
                name,
                "virtual_hosts: [{name: a, domains: ['*'], routes: [{match: {safe_regex: {regex: '((a{1000}){1000}){1000}'}},"
                        + " route: {cluster: a}}]}]");
        assertThat(checked.problems()).isEmpty();
        assertThat(checked.warnings())
                .extracting(ResourceProblem::path)
                .containsExactly("virtual_hosts[0].routes[0].match.safe_regex.regex");
    }

    @Test
    void refusesTypesOfTheSecondVersionOfTheApi() {
        assertThat(
                        texts(
                                "listener.a",
                                "{address: {socket_address: {address: a, port_value: 1}}, filter_chains: [{filters: [{name: a,"
                                        + " typed_config: {'@type': type.googleapis.com/envoy.config.trace.v2.ZipkinConfig}}]}]}"))
                .singleElement()
                .asString()
                .contains("@type: 'type.googleapis.com/envoy.config.trace.v2.ZipkinConfig' is no type");
    }

    @Test
    void reportsABoundedNumberOfProblems() {
        StoredName name = StoredName.of("route.a").orElseThrow();
        String hosts = "virtual_hosts: [" + "{},".repeat(400) + "{}]";
        assertThat(RESOURCES.check(name, hosts).problems()).hasSize(Checked.MAX_PROBLEMS);
    }

    @Test
    void usesOtherDescriptors(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("api.pb");
        try (var builtIn = Objects.requireNonNull(ApiDescriptors.class.getResourceAsStream("envoy-api.pb"))) {
            Files.copy(builtIn, file);
        }
        StoredName name = StoredName.of("cluster.a").orElseThrow();
        EnvoyResources.Provider provider = new ResourcesProvider();
        assertThat(provider.create(file, UnknownFields.REFUSE)
                        .check(name, "type: STATIC")
                        .problems())
                .isEmpty();

        Files.writeString(file, "no descriptors");
        assertThatThrownBy(() -> provider.create(file, UnknownFields.REFUSE).check(name, "type: STATIC"))
                .isInstanceOf(CairnException.class)
                .hasMessageContaining("cairn.xds.descriptors: " + file + " cannot be read");
        assertThatThrownBy(() -> provider.create(folder.resolve("none.pb"), UnknownFields.REFUSE)
                        .check(name, "type: STATIC"))
                .hasMessageContaining("none.pb");
    }

    /** The patterns of the API are written for another library. */
    @Test
    void patternsOfTheRulesCanBeRead() throws IOException {
        ApiDescriptors api = ApiDescriptors.read(null);
        Set<String> patterns = new TreeSet<>();
        try (var builtIn = Objects.requireNonNull(ApiDescriptors.class.getResourceAsStream("envoy-api.pb"))) {
            for (FileDescriptorProto file : FileDescriptorSet.parseFrom(builtIn).getFileList()) {
                for (DescriptorProto message : file.getMessageTypeList()) {
                    Descriptor type = api.message(file.getPackage() + '.' + message.getName());
                    if (type != null) {
                        collectPatterns(type, api.rules(), patterns);
                    }
                }
            }
        }
        assertThat(patterns).isNotEmpty().allSatisfy(Pattern::compile);
    }

    private static void collectPatterns(Descriptor type, ValidationRules rules, Set<String> patterns) {
        for (FieldDescriptor field : type.getFields()) {
            Message found = rules.of(field);
            if (found != null) {
                found.getAllFields()
                        .forEach((kind, rule) -> ((Message) rule).getAllFields().forEach((name, value) -> {
                            if (name.getName().equals("pattern")) {
                                patterns.add((String) value);
                            }
                        }));
            }
        }
        type.getNestedTypes().forEach(nested -> collectPatterns(nested, rules, patterns));
    }
}
