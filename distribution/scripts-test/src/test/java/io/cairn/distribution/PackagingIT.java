package io.cairn.distribution;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.Test;

final class PackagingIT {
    private static final Pattern COMPONENT = Pattern.compile("\"purl\" : \"pkg:maven/[^/]+/([^@\"]+)@([^?\"]+)");
    private static final Set<String> OF_A_RUN = Set.of("data", "logs");

    @Test
    void theTreeHoldsOneJarOfEachKindAndNoTestLibrary() throws Exception {
        try (Stream<Path> files = Files.list(Installation.PACKED.resolve("lib"))) {
            Set<String> names = files.map(file -> file.getFileName().toString()).collect(Collectors.toSet());
            assertThat(names).allMatch(name -> name.endsWith(".jar"));
            for (String jar : List.of(
                    "cairn-server-[0-9]",
                    "cairn-server-base-",
                    "cairn-server-transport-",
                    "cairn-server-core-",
                    "cairn-server-storage-",
                    "cairn-server-edges-",
                    "cairn-server-envoy-",
                    "protobuf-java-[0-9]",
                    "protobuf-java-util-",
                    "cairn-api-")) {
                assertThat(names)
                        .as(jar)
                        .filteredOn(name -> name.matches(jar + ".*"))
                        .hasSize(1);
            }
            assertThat(names).noneMatch(name -> name.startsWith("junit") || name.contains("-tests"));
        }
        assertThat(Installation.PACKED.resolve("LICENSE")).isNotEmptyFile();
        assertThat(Installation.PACKED.resolve("bin/startup.cmd")).content().contains("\r\n");
        assertThat(Files.isExecutable(Installation.PACKED.resolve("bin/startup.sh")))
                .isTrue();
    }

    @Test
    void listsItsComponents() throws Exception {
        Path file = Installation.PACKED.resolve("sbom.json");
        assumeTrue(
                Files.exists(file) || !System.getProperty("cairn.build", "").equals("offline=true"),
                "the list is made in online builds only, and an offline one made this installation");
        String sbom = Files.readString(file);

        assertThat(sbom).contains("\"bomFormat\" : \"CycloneDX\"");
        try (Stream<Path> jars = Files.list(Installation.PACKED.resolve("lib"))) {
            // A jar is named for its component and its version, and perhaps for the platform.
            assertThat(jars.map(jar -> jar.getFileName().toString())).allSatisfy(jar -> assertThat(
                            COMPONENT.matcher(sbom).results().map(found -> found.group(1) + '-' + found.group(2)))
                    .anyMatch(jar::startsWith));
        }
        assertThat(sbom)
                .contains("pkg:maven/io.grpc/grpc-netty@")
                .contains("pkg:maven/io.netty/netty-handler@")
                .contains("pkg:maven/org.springframework.boot/spring-boot@");
    }

    @Test
    void bothArchivesHoldTheTree() throws Exception {
        Set<String> tree = new TreeSet<>();
        try (Stream<Path> files = Files.walk(Installation.PACKED)) {
            files.filter(Files::isRegularFile)
                    .map(Installation.PACKED::relativize)
                    .filter(file -> !OF_A_RUN.contains(file.getName(0).toString()))
                    .forEach(file -> tree.add(file.toString().replace('\\', '/')));
        }
        Path zip = archive(".zip");
        try (var entries = new ZipFile(zip.toFile())) {
            assertThat(entries.stream().filter(entry -> !entry.isDirectory()).map(entry -> belowTop(entry.getName())))
                    .containsExactlyInAnyOrderElementsOf(tree);
        }
        Process tar = new ProcessBuilder("tar", "-tzf", archive(".tar.gz").toString()).start();
        String listing = new String(tar.getInputStream().readAllBytes(), UTF_8);
        assertThat(tar.waitFor()).isZero();
        assertThat(listing.lines().filter(name -> !name.endsWith("/")).map(PackagingIT::belowTop))
                .containsExactlyInAnyOrderElementsOf(tree);
    }

    /** The one of Windows is not run here; it refuses by the same rule and in the same words. */
    @Test
    void bothStartScriptsTakeASizeAsTheLargestHeap() throws Exception {
        String expected = "(expected: a size such as 512m, or JVM flags such as -Xms512m -Xmx4g)";
        for (String script : List.of("bin/startup.sh", "bin/startup.cmd")) {
            assertThat(Files.readString(Installation.PACKED.resolve(script)))
                    .as(script)
                    .contains("CAIRN_MEMORY: ")
                    .contains(expected)
                    .contains("-Xmx")
                    .contains("--version");
        }
        assertThat(Installation.PACKED.resolve("bin/startup.cmd"))
                .content()
                .contains("findstr /r /i /c:\"^.[1-9][0-9]*[kmg].$\" >nul && set \"CAIRN_MEMORY=-Xmx%CAIRN_MEMORY%\"")
                .contains("if \"%WORD:~0,1%\"==\"-\" goto memory");
    }

    @Test
    void everyNamedGuidePageExists() throws Exception {
        Pattern named = Pattern.compile("\\bdocs/[\\w./-]+\\.(?:md|json)");
        List<String> absent = new ArrayList<>();
        int found = 0;
        for (String part : List.of("bin", "conf", "deploy", "README.txt")) {
            try (Stream<Path> files = Files.walk(Installation.PACKED.resolve(part))) {
                for (Path file : files.filter(Files::isRegularFile).toList()) {
                    Matcher page = named.matcher(Files.readString(file));
                    while (page.find()) {
                        found++;
                        if (!Files.isRegularFile(Installation.PACKED.resolve(page.group()))) {
                            absent.add(file + " names " + page.group());
                        }
                    }
                }
            }
        }
        assertThat(absent).isEmpty();
        assertThat(found).isGreaterThan(3);
        assertThat(Installation.PACKED.resolve("conf/application.properties"))
                .content()
                .contains("docs/guide/security.md");
    }

    @Test
    void theLinksOfAllPagesLeadToFilesOfTheInstallation() throws Exception {
        Path home = Installation.PACKED.toRealPath();
        Pattern link = Pattern.compile("]\\(([^)#:]+)(#[^)]*)?\\)");
        List<String> dead = new ArrayList<>();
        Set<String> read = new TreeSet<>();
        try (Stream<Path> docs = Files.walk(home.resolve("docs"))) {
            for (Path page : Stream.concat(docs, Stream.of(home.resolve("CHANGELOG.md")))
                    .filter(file -> file.toString().endsWith(".md"))
                    .toList()) {
                read.add(home.relativize(page).toString().replace('\\', '/'));
                Matcher target = link.matcher(Files.readString(page));
                while (target.find()) {
                    Path file = page.resolveSibling(target.group(1)).normalize();
                    if (!file.startsWith(home) || !Files.exists(file)) {
                        dead.add(home.relativize(page) + " links to " + target.group(1));
                    }
                }
            }
        }
        assertThat(dead).isEmpty();
        assertThat(read).contains("CHANGELOG.md", "docs/guide/README.md", "docs/reference/rest.md");
    }

    @Test
    void containsTheSchemaForMySql() {
        assertThat(Installation.PACKED.resolve("conf/mysql-schema.sql"))
                .content()
                .contains("CREATE TABLE IF NOT EXISTS config_info (")
                .contains("CREATE TABLE cairn_schema_history (")
                .contains("'V8__cairn_cluster.sql'");
    }

    private static Path archive(String kind) throws Exception {
        try (Stream<Path> files = Files.list(Installation.PACKED.toRealPath().getParent())) {
            return files.filter(file -> file.toString().endsWith(kind))
                    .findAny()
                    .orElseThrow();
        }
    }

    private static String belowTop(String name) {
        assertThat(name).startsWith("cairn-");
        return name.substring(name.indexOf('/') + 1);
    }
}
