package io.cairn.distribution;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** The rendered chart agrees with the server and its image. Reads the committed results, so it needs no helm. */
class HelmChartTest {

    private static final String FORMS = "io.cairn.distribution.HelmChart#FORMS";
    /** Seconds that a server needs to end after its drain, by conf/application.properties (8), and some more. */
    private static final int STOP_SECONDS = 10;

    private final ServerFacts server = new ServerFacts();

    HelmChartTest() throws IOException {}

    @Test
    void theCommittedResultsAreThoseOfTheChart() throws Exception {
        assertThat(HelmChart.digest())
                .as("the chart, a set of values or a result has changed: %s", HelmChart.WRITE)
                .isEqualTo(HelmChart.writtenDigest());
    }

    @Test
    void theChartHasTheVersionOfTheServer() throws Exception {
        YamlNode chart = YamlNode.read(HelmChart.CHART.resolve("Chart.yaml"));

        assertThat(chart.at("appVersion").text()).isEqualTo(server.version());
        assertThat(chart.at("version").text()).isEqualTo(server.version());
    }

    @Test
    void theSchemaKnowsTheSameValuesAsTheFile() throws Exception {
        YamlNode values = YamlNode.read(HelmChart.CHART.resolve("values.yaml"));
        YamlNode schema = YamlNode.read(HelmChart.CHART.resolve("values.schema.json"));

        assertThat(names("", schema)).isEqualTo(names("", values, schema));
        assertThat(values.at("port").number()).isEqualTo(server.httpPort());
    }

    @Test
    void aSettingThatTheChartMakesIsRefusedWithTheValueInItsPlace() throws Exception {
        YamlNode values = YamlNode.read(HelmChart.CHART.resolve("values.yaml"));
        String helpers = Files.readString(HelmChart.CHART.resolve("templates/_helpers.tpl"));
        Map<String, String> own = helpers.lines()
                .filter(line -> line.matches("[a-z][A-Za-z.-]+: [A-Za-z.]+"))
                .filter(line -> !line.startsWith("app."))
                .collect(Collectors.toMap(line -> line.split(": ")[0], line -> line.split(": ")[1]));

        assertThat(own).hasSizeGreaterThan(15);
        own.forEach((setting, value) -> {
            assertThat(server.isSetting(setting) || setting.equals("nacos.standalone"))
                    .as(setting)
                    .isTrue();
            String[] path = value.split("\\.");
            assertThat(
                            path.length == 1
                                    ? values.keys().contains(value)
                                    : values.at(path[0]).keys().contains(path[1]))
                    .as(value)
                    .isTrue();
        });
        for (String form : HelmChart.FORMS) {
            for (String argument : new RenderedChart(form).arguments()) {
                String name = argument.replaceFirst("^--", "").replaceFirst("=.*", "");
                if (argument.startsWith("--")
                        && YamlNode.read(HelmChart.values(form))
                                .at("settings", name)
                                .isAbsent()) {
                    assertThat(own).as("%s of %s", argument, form).containsKey(name);
                }
            }
        }
    }

    @ParameterizedTest
    @FieldSource(FORMS)
    void eachSelectorMatchesThePods(String form) throws Exception {
        var chart = new RenderedChart(form);

        assertThat(chart.podSelectors())
                .hasSizeGreaterThanOrEqualTo(3)
                .allSatisfy(selector ->
                        assertThat(chart.podLabels()).isNotEmpty().containsAllEntriesOf(selector.strings()));
        assertThat(chart.podSelectors())
                .allSatisfy(selector -> assertThat(selector.keys()).isNotEmpty());
        for (YamlNode monitor : chart.all("ServiceMonitor")) {
            Map<String, String> wanted =
                    monitor.at("spec", "selector", "matchLabels").strings();
            assertThat(chart.all("Service"))
                    .filteredOn(service -> service.at("metadata", "labels")
                            .strings()
                            .entrySet()
                            .containsAll(wanted.entrySet()))
                    .as("each pod is asked once")
                    .containsExactly(chart.service(true));
        }
    }

    @ParameterizedTest
    @FieldSource(FORMS)
    void thePortsAreThoseOfTheServer(String form) throws Exception {
        var chart = new RenderedChart(form);
        YamlNode ports = chart.container().at("ports");
        int http = variable(chart, "NACOS_APPLICATION_PORT").at("value").number();

        assertThat(ports.named("http").at("containerPort").number()).isEqualTo(http);
        assertThat(ports.named("grpc").at("containerPort").number()).isEqualTo(http + server.grpcOffset());
        if (chart.isCluster()) {
            assertThat(ports.named("group").at("containerPort").number()).isEqualTo(http + server.groupOffset());
        }
        for (YamlNode service : chart.all("Service")) {
            for (YamlNode port : service.at("spec", "ports").list()) {
                YamlNode target = ports.named(port.at("targetPort").text());
                assertThat(port.at("port").number())
                        .isEqualTo(target.at("containerPort").number());
            }
        }
        assertThat(chart.service(false).at("spec", "ports").list())
                .as("what is for the nodes alone is not for clients")
                .extracting(port -> port.at("name").text())
                .containsExactly("http", "grpc");
        YamlNode onMachines = chart.service(false).at("spec", "ports");
        if (!onMachines.named("http").at("nodePort").isAbsent()) {
            assertThat(onMachines.named("grpc").at("nodePort").number()
                            - onMachines.named("http").at("nodePort").number())
                    .isEqualTo(server.grpcOffset());
        }
        for (YamlNode policy : chart.all("NetworkPolicy")) {
            assertThat(policy.at("spec", "ingress").list().stream()
                            .flatMap(rule -> rule.at("ports").list().stream())
                            .map(port -> port.at("port").text()))
                    .containsExactlyElementsOf(ports.list().stream()
                            .map(port -> port.at("name").text())
                            .toList());
        }
    }

    @Test
    void thePolicyOfTheNetworkAdmitsTheBridgeBesideNamedClients() throws Exception {
        var chart = new RenderedChart("all");
        YamlNode clients =
                chart.one("NetworkPolicy").at("spec", "ingress").list().get(0);

        assertThat(clients.at("from").list())
                .extracting(from -> from.at("podSelector", "matchLabels").strings())
                .contains(chart.one("Deployment")
                        .at("spec", "template", "metadata", "labels")
                        .strings());
    }

    @ParameterizedTest
    @FieldSource(FORMS)
    void theServerKnowsEachVariableAndSetting(String form) throws Exception {
        var chart = new RenderedChart(form);
        Set<String> more = YamlNode.read(HelmChart.values(form)).at("extraEnv").list().stream()
                .map(each -> each.at("name").text())
                .collect(Collectors.toSet());

        assertThat(chart.container().at("env").list().stream()
                        .map(each -> each.at("name").text())
                        .filter(name -> !more.contains(name))
                        .filter(name -> chart.arguments().stream().noneMatch(each -> each.contains("$(" + name + ")"))))
                .isNotEmpty()
                .allMatch(server.variables()::contains);
        assertThat(chart.arguments().stream().filter(each -> each.startsWith("--")))
                .isNotEmpty()
                .allSatisfy(each -> assertThat(server.isSetting(each.substring(2, each.indexOf('='))))
                        .as(each)
                        .isTrue());
        assertThat(chart.pod().at("enableServiceLinks").text())
                .as("variables of Kubernetes are not taken for settings")
                .isEqualTo("false");
    }

    @ParameterizedTest
    @FieldSource(FORMS)
    void eachProbeUsesAPathOfTheServer(String form) throws Exception {
        var chart = new RenderedChart(form);
        YamlNode container = chart.container();
        String context = chart.setting("server.servlet.contextPath").text();
        String start = path(container, "startupProbe");
        String live = path(container, "livenessProbe");
        String ready = path(container, "readinessProbe");

        assertThat(List.of(start, live, ready)).allSatisfy(path -> {
            assertThat(path).startsWith(context);
            assertThat(server.hasEndpoint(path.substring(context.length())))
                    .as(path)
                    .isTrue();
        });
        assertThat(ready).isNotEqualTo(live);
        assertThat(start).as("a node that joins has started").isEqualTo(live);
        for (YamlNode monitor : chart.all("ServiceMonitor")) {
            YamlNode endpoint = monitor.at("spec", "endpoints").list().get(0);
            String path = endpoint.at("path").text();
            assertThat(path).startsWith(context);
            assertThat(server.hasEndpoint(path.substring(context.length())))
                    .as(path)
                    .isTrue();
            assertThat(chart.service(true)
                            .at("spec", "ports")
                            .named(endpoint.at("port").text())
                            .isAbsent())
                    .isFalse();
        }
    }

    @ParameterizedTest
    @FieldSource(FORMS)
    void aStopHasTheTimeForPauseDrainAndEnd(String form) throws Exception {
        var chart = new RenderedChart(form);
        List<String> pause =
                chart.container().at("lifecycle", "preStop", "exec", "command").texts();
        String drain = chart.setting("cairn.shutdown.drain").text();

        assertThat(pause).hasSize(2).first().isEqualTo("sleep");
        assertThat(drain).matches("\\d+s");
        assertThat(chart.pod().at("terminationGracePeriodSeconds").number())
                .isGreaterThanOrEqualTo(
                        Integer.parseInt(pause.get(1)) + Integer.parseInt(drain.replace("s", "")) + STOP_SECONDS);
    }

    @ParameterizedTest
    @FieldSource(FORMS)
    void theNodesFindEachOtherByTheHeadlessService(String form) throws Exception {
        var chart = new RenderedChart(form);
        YamlNode headless = chart.service(true);
        String name = headless.at("metadata", "name").text();

        assertThat(headless.at("spec", "publishNotReadyAddresses").text()).isEqualTo("true");
        assertThat(chart.statefulSet().at("spec", "serviceName").text()).isEqualTo(name);
        if (chart.isCluster()) {
            assertThat(chart.setting("cairn.cluster.dns").text()).startsWith(name + ".registry.svc.");
            assertThat(chart.setting("nacos.inetutils.ip-address").text()).isEqualTo("$(POD_IP)");
            assertThat(chart.statefulSet().at("spec", "replicas").number()).isGreaterThanOrEqualTo(3);
            assertThat(variable(chart, "SPRING_DATASOURCE_PLATFORM").at("value").text())
                    .isEqualTo(databaseType(form));
            assertThat(chart.one("PodDisruptionBudget").isAbsent()).isFalse();
        } else {
            assertThat(chart.statefulSet().at("spec", "replicas").number()).isEqualTo(1);
            assertThat(chart.statefulSet().at("spec", "volumeClaimTemplates").list())
                    .hasSize(1);
            assertThat(chart.one("PodDisruptionBudget").isAbsent())
                    .as("a budget of one pod would keep its machine from being drained")
                    .isTrue();
        }
    }

    @ParameterizedTest
    @FieldSource(FORMS)
    void thePodRunsAsTheUserOfTheImageAndWritesToItsVolumesOnly(String form) throws Exception {
        var chart = new RenderedChart(form);
        YamlNode security = chart.container().at("securityContext");
        YamlNode mounts = chart.container().at("volumeMounts");
        Set<String> volumes = chart.pod().at("volumes").list().stream()
                .map(each -> each.at("name").text())
                .collect(Collectors.toSet());
        chart.statefulSet().at("spec", "volumeClaimTemplates").list().forEach(each -> assertThat(
                        volumes.add(each.at("metadata", "name").text()))
                .isTrue());
        Set<String> writable = mounts.list().stream()
                .filter(each -> each.at("readOnly").isAbsent())
                .map(each -> each.at("mountPath").text())
                .collect(Collectors.toCollection(TreeSet::new));
        Set<String> expected = new TreeSet<>(server.volumes());
        expected.add("/tmp");

        assertThat(chart.pod().at("securityContext", "runAsUser").number()).isEqualTo(server.user());
        assertThat(chart.pod().at("securityContext", "fsGroup").number()).isEqualTo(server.user());
        assertThat(chart.pod().at("securityContext", "runAsNonRoot").text()).isEqualTo("true");
        assertThat(security.at("readOnlyRootFilesystem").text()).isEqualTo("true");
        assertThat(security.at("allowPrivilegeEscalation").text()).isEqualTo("false");
        assertThat(security.at("capabilities", "drop").texts()).containsExactly("ALL");
        assertThat(writable).isEqualTo(expected);
        assertThat(mounts.list().stream().map(each -> each.at("name").text()))
                .containsExactlyInAnyOrderElementsOf(volumes);
    }

    @ParameterizedTest
    @FieldSource(FORMS)
    void eachPasswordIsOfASecret(String form) throws Exception {
        var chart = new RenderedChart(form);
        YamlNode values = YamlNode.read(HelmChart.values(form));

        if (chart.isCluster()) {
            boolean isPostgreSql = databaseType(form).equals("postgresql");
            YamlNode password = variable(chart, isPostgreSql ? "DB_PASSWORD_0" : "MYSQL_SERVICE_PASSWORD");
            assertThat(password.at("value").isAbsent()).isTrue();
            assertThat(password.at("valueFrom", "secretKeyRef", "name").text())
                    .isEqualTo(values.at("database", "existingSecret").text());
        }
        YamlNode first = chart.pod().at("volumes").named("first-password");
        if (values.at("auth", "enabled").text().equals("false")) {
            assertThat(first.isAbsent()).isTrue();
            assertThat(chart.setting("cairn.auth.allow-anonymous-network").text())
                    .isEqualTo("true");
        } else {
            assertThat(first.at("secret", "secretName").text())
                    .isEqualTo(values.at("auth", "existingSecret").text());
            String folder = chart.container()
                    .at("volumeMounts")
                    .named("first-password")
                    .at("mountPath")
                    .text();
            assertThat(chart.setting("cairn.auth.first-password-file").text())
                    .isEqualTo(folder
                            + '/'
                            + first.at("secret", "items")
                                    .list()
                                    .get(0)
                                    .at("path")
                                    .text());
        }
        assertThat(chart.all("Secret")).as("both are named by the values").isEmpty();
    }

    private static String databaseType(String form) throws IOException {
        return YamlNode.read(HelmChart.values(form)).at("database", "type").text();
    }

    @Test
    void postgreSqlHasOneUrlOfHostPortNameAndOptions() throws Exception {
        YamlNode url = variable(new RenderedChart("postgresql"), "DB_URL_0");

        assertThat(url.at("value").text()).isEqualTo("jdbc:postgresql://postgresql:5432/cairn?sslmode=require");
    }

    private static YamlNode variable(RenderedChart chart, String name) {
        return chart.container().at("env").named(name);
    }

    private static String path(YamlNode container, String probe) {
        YamlNode request = container.at(probe, "httpGet");
        assertThat(container.at("ports").named(request.at("port").text()).isAbsent())
                .isFalse();
        return request.at("path").text();
    }

    /** The names that the schema has, as paths. */
    private static Set<String> names(String prefix, YamlNode schema) {
        Set<String> names = new TreeSet<>();
        for (String name : schema.at("properties").keys()) {
            names.add(prefix + name);
            names.addAll(names(prefix + name + '.', schema.at("properties", name)));
        }
        names.remove("global"); // Helm's own
        names.remove("resources.claims"); // of Kubernetes, and seldom used
        return names;
    }

    /** The names that the values have, as far as the schema names parts of them. */
    private static Set<String> names(String prefix, YamlNode values, YamlNode schema) {
        Set<String> names = new TreeSet<>();
        for (String name : values.keys()) {
            names.add(prefix + name);
            if (!schema.at("properties", name, "properties").isAbsent()) {
                names.addAll(names(prefix + name + '.', values.at(name), schema.at("properties", name)));
            }
        }
        return names;
    }
}
