package io.cairn.distribution;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
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
    private static final Path CLIENT = Path.of(System.getProperty("cairn.client.jar"));
    private static final Path JUNIT_EXTENSION = Path.of(System.getProperty("cairn.junit.jar"));

    /** The packages that the client brings under another name, below {@link #RELOCATED}, and the component of each. */
    private static final Map<String, String> RELOCATED_PACKAGES = Map.ofEntries(
            Map.entry("com/google/common/", "com.google.guava:guava"),
            Map.entry("com/google/errorprone/", "com.google.errorprone:error_prone_annotations"),
            Map.entry("com/google/gson/", "com.google.code.gson:gson"),
            Map.entry("com/google/j2objc/", "com.google.j2objc:j2objc-annotations"),
            Map.entry("io/grpc/", "io.grpc:grpc-api"),
            Map.entry("io/grpc/internal/", "io.grpc:grpc-core"),
            Map.entry("io/grpc/okhttp/", "io.grpc:grpc-okhttp"),
            Map.entry("io/grpc/util/", "io.grpc:grpc-util"),
            Map.entry("io/perfmark/", "io.perfmark:perfmark-api"),
            Map.entry("javax/annotation/", "com.google.code.findbugs:jsr305"),
            Map.entry("kotlin/", "org.jetbrains.kotlin:kotlin-stdlib"),
            Map.entry("okio/", "com.squareup.okio:okio-jvm"),
            Map.entry("org/codehaus/mojo/", "org.codehaus.mojo:animal-sniffer-annotations"),
            Map.entry("org/intellij/lang/annotations/", "org.jetbrains:annotations"),
            Map.entry("org/jetbrains/annotations/", "org.jetbrains:annotations"),
            Map.entry("org/snakeyaml/", "org.snakeyaml:snakeyaml-engine"),
            Map.entry("tools/jackson/core/", "tools.jackson.core:jackson-core"));

    private static final String RELOCATED = "io/cairn/client/shaded/";
    private static final String OWN_WIRE = RELOCATED + "wire/";
    private static final Pattern LICENCE_FILE =
            Pattern.compile("(?:.*/)?([^/]*(?:LICENSE|NOTICE)[^/]*|license\\.txt|notice\\.txt)");

    @Test
    void theTreeHoldsOneJarOfEachKindAndNoTestLibrary() throws Exception {
        try (Stream<Path> files = Files.list(Installation.PACKED.resolve("lib"))) {
            Set<String> names = files.map(file -> file.getFileName().toString()).collect(Collectors.toSet());
            // The folder holds the client of the command line, which the server must not have on its class path.
            assertThat(names)
                    .contains("cli")
                    .allMatch(name -> name.endsWith(".jar") || name.equals("cli"))
                    .noneMatch(name -> name.startsWith("cairn-client"));
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
                    "re2j-",
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
        try (Stream<Path> jars = Files.list(Installation.PACKED.resolve("lib")).filter(Files::isRegularFile)) {
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
    void eachJarOfOthersIsListedWithItsLicenceAndText() throws Exception {
        ThirdPartyFiles thirdParty = ThirdPartyFiles.in(Installation.PACKED);

        thirdParty.assertEachComponentHasAText();
        Set<String> jars = jars();
        assertThat(jars)
                .filteredOn(jar -> !jar.startsWith("cairn-"))
                .hasSizeGreaterThan(50)
                .allSatisfy(jar -> assertThat(thirdParty.ofJar(jar)).isPresent());
        assertThat(thirdParty.components())
                .filteredOn(component -> component.name().matches("[^:]+\\.[^:]+:.+"))
                .allSatisfy(component -> assertThat(jars)
                        .anyMatch(jar -> jar.startsWith(component.artifact() + '-' + component.version())));
        assertThat(Installation.PACKED.resolve("NOTICE"))
                .content()
                .contains("MySQL Connector/J", "Universal FOSS Exception");
    }

    @Test
    void licenceAndNoticeFilesOfAllJarsArePassedOn() throws Exception {
        ThirdPartyFiles thirdParty = ThirdPartyFiles.in(Installation.PACKED);
        int found = 0;
        for (String file : jars()) {
            String artifact = thirdParty
                    .ofJar(file)
                    .map(ThirdPartyFiles.Component::artifact)
                    .orElse(file.replaceFirst("-[0-9].*", ""));
            try (var jar =
                    new ZipFile(Installation.PACKED.resolve("lib").resolve(file).toFile())) {
                Set<String> texts = jar.stream()
                        .map(entry -> LICENCE_FILE.matcher(entry.getName()))
                        .filter(Matcher::matches)
                        .map(name -> name.group(1))
                        .collect(Collectors.toSet());
                assertThat(thirdParty.filesOf(artifact)).as(file).containsAll(texts);
                found += texts.size();
            }
        }
        assertThat(found).isGreaterThan(30);
    }

    @Test
    void listsThePackagesOfTheConsole() throws Exception {
        assertThat(ThirdPartyFiles.in(Installation.PACKED).components())
                .extracting(ThirdPartyFiles.Component::name)
                .contains(
                        "npm:antd",
                        "npm:react",
                        "npm:react-dom",
                        "npm:@codemirror/view",
                        "npm:@lezer/common",
                        "npm:is-mobile")
                .doesNotContain("npm:vite", "npm:typescript");
        assertThat(Installation.PACKED.resolve("licenses/cairn-console/LICENSES.txt"))
                .content()
                .contains("Copyright (c) Meta Platforms, Inc. and affiliates.");
    }

    @Test
    void theClientNamesTheComponentsOfAllPackagesThatItBrings() throws Exception {
        try (FileSystem jar = FileSystems.newFileSystem(CLIENT)) {
            ThirdPartyFiles thirdParty = ThirdPartyFiles.in(jar.getPath("META-INF"));

            thirdParty.assertEachComponentHasAText();
            Set<String> unknown = new TreeSet<>();
            Set<String> brought = new TreeSet<>();
            try (Stream<Path> files = Files.walk(jar.getPath(RELOCATED))) {
                files.map(Path::toString)
                        .filter(file -> file.endsWith(".class") && !file.startsWith(OWN_WIRE))
                        .map(file -> file.substring(RELOCATED.length(), file.lastIndexOf('/') + 1))
                        .distinct()
                        .forEach(folder -> RELOCATED_PACKAGES.keySet().stream()
                                .filter(folder::startsWith)
                                .max(Comparator.comparingInt(String::length))
                                .ifPresentOrElse(
                                        root -> brought.add(RELOCATED_PACKAGES.get(root)), () -> unknown.add(folder)));
            }
            assertThat(unknown).isEmpty();
            assertThat(brought).contains("io.grpc:grpc-okhttp", "com.squareup.okio:okio-jvm");
            assertThat(thirdParty.components())
                    .extracting(ThirdPartyFiles.Component::name)
                    .containsAll(brought);
            assertThat(thirdParty.filesOf("jackson-core")).contains("LICENSE", "NOTICE", "FastDoubleParser-LICENSE");
            // Nothing of others in the places where tools expect the licence of the jar itself.
            assertThat(names(jar.getPath("META-INF")))
                    .containsExactlyInAnyOrder(
                            "LICENSE", "MANIFEST.MF", "NOTICE", "THIRD-PARTY.md", "licenses", "services");
        }
    }

    @Test
    void theJUnitExtensionListsTheJarsOfTheServerThatItBrings() throws Exception {
        try (FileSystem jar = FileSystems.newFileSystem(JUNIT_EXTENSION)) {
            ThirdPartyFiles thirdParty = ThirdPartyFiles.in(jar.getPath("META-INF"));

            thirdParty.assertEachComponentHasAText();
            assertThat(names(jar.getPath("META-INF/cairn-server")))
                    .filteredOn(file -> file.endsWith(".jar") && !file.startsWith("cairn-"))
                    .hasSizeGreaterThan(50)
                    .allSatisfy(file -> assertThat(thirdParty.ofJar(file)).isPresent());
            assertThat(thirdParty.components())
                    .extracting(ThirdPartyFiles.Component::name)
                    .contains("io.netty:netty-handler", "com.mysql:mysql-connector-j", "npm:react");
            assertThat(thirdParty.filesOf("mysql-connector-j")).containsExactly("LICENSE");
        }
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
                .contains("'V10__label_releases.sql'");
    }

    @Test
    void containsTheSchemaForPostgreSql() {
        assertThat(Installation.PACKED.resolve("conf/postgresql-schema.sql"))
                .content()
                .contains("CREATE TABLE IF NOT EXISTS config_info (")
                .contains("CREATE TABLE cairn_schema_history (")
                .contains("'V10__label_releases.sql'")
                .endsWith("COMMIT;\n");
    }

    private static Path archive(String kind) throws Exception {
        try (Stream<Path> files = Files.list(Installation.PACKED.toRealPath().getParent())) {
            return files.filter(file -> file.toString().endsWith(kind))
                    .findAny()
                    .orElseThrow();
        }
    }

    /** The jars of the server. */
    private static Set<String> jars() throws IOException {
        Set<String> names = names(Installation.PACKED.resolve("lib"));
        names.remove("cli");
        return names;
    }

    private static Set<String> names(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).collect(Collectors.toCollection(TreeSet::new));
        }
    }

    private static String belowTop(String name) {
        assertThat(name).startsWith("cairn-");
        return name.substring(name.indexOf('/') + 1);
    }
}
