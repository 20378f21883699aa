package io.cairn.server;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.conditions.ArchConditions.accessField;
import static com.tngtech.archunit.lang.conditions.ArchConditions.callMethod;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.GeneralCodingRules.NO_CLASSES_SHOULD_USE_FIELD_INJECTION;
import static com.tngtech.archunit.library.GeneralCodingRules.NO_CLASSES_SHOULD_USE_JAVA_UTIL_LOGGING;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import com.tngtech.archunit.lang.syntax.elements.GivenMethodsConjunction;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.route.HttpAuthorizer;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.Parameter;
import io.cairn.server.storage.DatabaseFindings;
import io.cairn.server.storage.DatabaseProducts;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Holds the dependency directions and habits of this code base. */
class ArchitectureTest {

    private static final JavaClasses ALL = new ClassFileImporter()
            .withImportOption(location -> !location.contains("/test-classes/"))
            .withImportOption(location -> !location.contains("-tests.jar"))
            .importPackages("io.cairn.api", "io.cairn.server");

    private static final List<String> FEATURES = packages("config", "naming", "namespace", "auth", "backup");

    /** From the lowest up: whoever stands in a layer knows those below and beside it, never those above. */
    static final List<List<String>> LAYERS = List.of(
            packages("metrics", "sdk", "attention"),
            packages("limit"),
            packages("admission", "compress", "eventloop", "http2", "tls"),
            packages("change", "gray", "node"),
            FEATURES,
            packages("push", "connection"),
            packages("subscription", "mesh"),
            packages("rpc", "http", "xds"),
            packages("wiring"));

    /** They implement what features ask for; nobody but the wiring knows them. */
    private static final List<String> ADAPTERS = packages("storage", "cluster", "envoy");

    /** The packages below {@code storage}, from the lowest up, by the same rule; {@link #DATABASES} stand beside them. */
    private static final List<List<String>> STORAGE = List.of(
            List.of("database"),
            List.of("writer"),
            List.of("row"),
            List.of("access", "cluster", "config", "naming", "namespace"),
            List.of("backup", "memory"),
            List.of("mirror"));

    /** Each has what differs for one database; classes that are made for any database know none of them. */
    private static final List<String> DATABASES = List.of("mysql", "postgresql", "sqlite");

    /** Classes that all depend on each other, over however many steps, are read together. */
    private static final int LARGEST_KNOT = 7;

    /** Asking instances how they are is what it is for, so it opens sockets; it knows no other feature in return. */
    private static final String HEALTH_CHECKS = "io.cairn.server.naming.health..";

    /** The packages of the registry and of the mesh edge, from the lowest up. */
    private static final List<List<String>> PARTS = List.of(
            packages("naming.label", "naming.health"),
            packages("naming.switches"),
            packages("naming.view"),
            packages("naming.registry"),
            packages("naming.lease"),
            packages("naming.group"),
            packages("naming.stored"),
            packages("xds.resource"),
            packages("xds.view"),
            packages("xds.stream"));

    /** In these, more classes know each other: the storage is to be divided, and each part of HTTP knows the request. */
    private static final DescribedPredicate<JavaClass> ENTANGLED =
            resideInAnyPackage("io.cairn.server.storage..", "io.cairn.server.http");

    private static final Pattern PACKAGE = Pattern.compile("^package ([\\w.]+);", Pattern.MULTILINE);
    private static final Pattern IMPORT =
            Pattern.compile("^import (?:static )?([a-z][\\w.]*?)\\.[A-Z][\\w.*]*;", Pattern.MULTILINE);
    private static final int LARGEST_CIRCLE = 7;
    private static final int MOST_PARAMETERS = 7;
    private static final GivenMethodsConjunction BEANS =
            methods().that().areAnnotatedWith("org.springframework.context.annotation.Bean");

    private static List<String> packages(String... names) {
        return Stream.of(names).map(name -> "io.cairn.server." + name + "..").toList();
    }

    @Test
    void theRulesSeeTheCode() {
        assertThat(ALL).hasSizeGreaterThan(150);
        for (String name : new String[] {"api", "server.config", "server.storage", "server.wiring", "server.http.v1"}) {
            assertThat(ALL.containPackage("io.cairn." + name)).as(name).isTrue();
        }
        assertThat(ALL.contain(ArchitectureTest.class)).isFalse();
    }

    static Stream<List<String>> layers() {
        return LAYERS.stream();
    }

    @ParameterizedTest
    @MethodSource("layers")
    void aLayerDoesNotKnowThoseAboveIt(List<String> layer) {
        String[] above = LAYERS.subList(LAYERS.indexOf(layer) + 1, LAYERS.size()).stream()
                .flatMap(List::stream)
                .toArray(String[]::new);
        DescribedPredicate<JavaClass> start = belongToAnyOf(CairnServer.class, Launcher.class);
        noClasses()
                .that()
                .resideInAnyPackage(layer.toArray(String[]::new))
                .should()
                .dependOnClassesThat(resideInAnyPackage(above).or(start))
                .allowEmptyShould(true)
                .check(ALL);
    }

    @Test
    void onlyTheWiringKnowsTheStorageAndTheCluster() {
        String[] adapters = ADAPTERS.toArray(String[]::new);
        noClasses()
                .that()
                .resideOutsideOfPackages(adapters)
                .and()
                .resideOutsideOfPackage("io.cairn.server.wiring..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(adapters)
                .check(ALL);
    }

    @Test
    void theStorageAndTheClusterKnowTheFeaturesButNoEdge() {
        String[] edges = Stream.concat(
                        Stream.of("push", "connection", "subscription", "rpc", "http", "xds", "wiring")
                                .flatMap(name -> packages(name).stream()),
                        Stream.of("io.grpc..", "io.netty.."))
                .toArray(String[]::new);
        noClasses()
                .that()
                .resideInAnyPackage(ADAPTERS.toArray(String[]::new))
                .should()
                // The timer wheel and the names of threads are no sockets.
                .dependOnClassesThat(resideInAnyPackage(edges)
                        .and(not(resideInAnyPackage("io.netty.util", "io.netty.util.concurrent"))))
                .check(ALL);
    }

    @Test
    void packagesOfTheStorageDoNotKnowThoseAboveThem() {
        for (int i = 0; i < STORAGE.size(); i++) {
            String[] others = STORAGE.subList(i, STORAGE.size()).stream()
                    .flatMap(List::stream)
                    .map(ArchitectureTest::ofStorage)
                    .toArray(String[]::new);
            for (String name : STORAGE.get(i)) {
                noClasses()
                        .that()
                        .resideInAPackage(ofStorage(name))
                        .should()
                        .dependOnClassesThat(resideInAnyPackage(others)
                                .or(resideInAPackage("io.cairn.server.storage"))
                                .and(not(resideInAPackage(ofStorage(name)))))
                        .check(ALL);
            }
        }
    }

    @Test
    void databaseIsKnownToNoOtherPackageOfTheStorage() {
        for (String name : DATABASES) {
            noClasses()
                    .that()
                    .resideInAPackage("io.cairn.server..")
                    .and()
                    .resideOutsideOfPackage(ofStorage(name))
                    .and(not(belongToAnyOf(DatabaseProducts.class)))
                    // The embedded database is also the one of the mirror and of the files that take memory.
                    .and(not(resideInAnyPackage(ofStorage("mirror"), ofStorage("memory"), "io.cairn.server.wiring..")
                            .or(belongToAnyOf(DatabaseFindings.class))
                            .and(sqliteAlone(name))))
                    .should()
                    .dependOnClassesThat()
                    .resideInAPackage(ofStorage(name))
                    .check(ALL);
            noClasses()
                    .that()
                    .resideInAPackage(ofStorage(name))
                    .should()
                    .dependOnClassesThat(resideInAPackage("io.cairn.server.storage..")
                            .and(not(resideInAnyPackage(ofStorage(name), ofStorage("database"), ofStorage("server")))))
                    .check(ALL);
        }
    }

    private static DescribedPredicate<JavaClass> sqliteAlone(String name) {
        return name.equals("sqlite") ? DescribedPredicate.alwaysTrue() : DescribedPredicate.alwaysFalse();
    }

    private static String ofStorage(String name) {
        return "io.cairn.server.storage." + name;
    }

    @Test
    void knotsOfTheStorageAreSmall() {
        Map<String, Set<String>> known = new TreeMap<>();
        for (JavaClass type : ALL) {
            if (type.getPackageName().startsWith("io.cairn.server.storage")) {
                Set<String> targets = known.computeIfAbsent(outermost(type.getName()), name -> new TreeSet<>());
                type.getDirectDependenciesFromSelf()
                        .forEach(dependency -> targets.add(
                                outermost(dependency.getTargetClass().getName())));
            }
        }
        Map<String, Set<String>> reached = new TreeMap<>();
        known.keySet().forEach(name -> reached.put(name, reachedFrom(name, known)));

        assertThat(known).hasSizeGreaterThan(90);
        assertThat(known.keySet()).allSatisfy(name -> assertThat(reached.get(name).stream()
                        .filter(other -> reached.get(other).contains(name)))
                .as("the knot of %s", name)
                .hasSizeLessThanOrEqualTo(LARGEST_KNOT));
    }

    private static String outermost(String name) {
        int nested = name.indexOf('$');
        return nested < 0 ? name : name.substring(0, nested);
    }

    private static Set<String> reachedFrom(String start, Map<String, Set<String>> known) {
        Set<String> reached = new TreeSet<>();
        Deque<String> next = new ArrayDeque<>(known.getOrDefault(start, Set.of()));
        while (!next.isEmpty()) {
            String name = next.pop();
            if (known.containsKey(name) && reached.add(name)) {
                next.addAll(known.getOrDefault(name, Set.of()));
            }
        }
        return reached;
    }

    @ParameterizedTest
    @MethodSource("edges")
    void theEdgesDoNotKnowEachOther(String edge) {
        String[] others = Stream.of("rpc", "http", "xds")
                .filter(other -> !other.equals(edge))
                .flatMap(other -> packages(other).stream())
                .toArray(String[]::new);
        noClasses()
                .that()
                .resideInAPackage("io.cairn.server." + edge + "..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(others)
                .allowEmptyShould(true)
                .check(ALL);
    }

    static Stream<String> edges() {
        return Stream.of("rpc", "http", "xds");
    }

    @ParameterizedTest
    @MethodSource("versions")
    void anApiVersionCanBeDeletedWithoutTouchingAnotherPackage(String version) {
        noClasses()
                .that()
                .resideOutsideOfPackages("io.cairn.server.http." + version + "..", "io.cairn.server.wiring..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.cairn.server.http." + version + "..")
                .check(ALL);
    }

    static Stream<String> versions() {
        return Stream.of("v1", "v2", "v3");
    }

    @ParameterizedTest
    @MethodSource("roots")
    void packagesDoNotDependOnEachOtherInACircle(String root) {
        slices().matching(root + ".(**)").should().beFreeOfCycles().check(ALL);
    }

    static Stream<String> roots() {
        return Stream.of("io.cairn.api", "io.cairn.server");
    }

    /** Read from the sources: these modules come after the server or stand beside it. */
    @ParameterizedTest
    @ValueSource(strings = {"io.cairn.client", "io.cairn.spring", "io.cairn.junit"})
    void packagesOfAClientDoNotDependOnEachOtherInACircle(String root) throws IOException {
        Map<String, Set<String>> imports = new TreeMap<>();
        JavaSources.all().forEach((path, source) -> {
            Matcher own = PACKAGE.matcher(source);
            if (path.contains("/src/main/java/") && own.find() && own.group(1).startsWith(root)) {
                Set<String> others = imports.computeIfAbsent(own.group(1), first -> new TreeSet<>());
                IMPORT.matcher(source)
                        .results()
                        .map(found -> found.group(1))
                        .filter(name -> name.startsWith(root))
                        .forEach(others::add);
            }
        });
        assertThat(imports).as("packages below " + root).hasSizeGreaterThan(2);
        assertThat(Circles.in(imports)).as("circles below " + root).isEmpty();
    }

    static Stream<List<String>> parts() {
        return PARTS.stream();
    }

    @ParameterizedTest
    @MethodSource("parts")
    void aPartOfTheRegistryOrOfTheMeshDoesNotKnowThoseAboveIt(List<String> part) {
        noClasses()
                .that()
                .resideInAnyPackage(part.toArray(String[]::new))
                .should()
                .dependOnClassesThat(resideInAnyPackage(PARTS.subList(PARTS.indexOf(part) + 1, PARTS.size()).stream()
                        .flatMap(List::stream)
                        .toArray(String[]::new)))
                .check(ALL);
    }

    @Test
    void noMoreThanSevenClassesKnowEachOther() {
        Map<String, Set<String>> known = new TreeMap<>();
        for (JavaClass type : ALL.that(not(ENTANGLED))) {
            Set<String> others = known.computeIfAbsent(outermost(type), first -> new TreeSet<>());
            type.getDirectDependenciesFromSelf().forEach(each -> others.add(outermost(each.getTargetClass())));
        }
        assertThat(Circles.in(known)).isNotEmpty().allSatisfy(circle -> assertThat(circle)
                .as("classes that all know each other")
                .hasSizeLessThanOrEqualTo(LARGEST_CIRCLE));
    }

    private static String outermost(JavaClass type) {
        return type.getEnclosingClass().map(ArchitectureTest::outermost).orElse(type.getName());
    }

    @Test
    void findsCircles() {
        Map<String, Set<String>> dependencies =
                Map.of("a", Set.of("b"), "b", Set.of("c", "d"), "c", Set.of("a"), "d", Set.of("e"), "f", Set.of("d"));
        assertThat(Circles.in(dependencies)).containsExactly(Set.of("a", "b", "c"));
    }

    @Test
    void theFeaturesOwnTheirPackagesAsWhole() {
        slices().matching("io.cairn.server.(*)..").should().beFreeOfCycles().check(ALL);
    }

    @Test
    void springIsKnownAtTheRimOnly() {
        noClasses()
                .that(not(resideInAnyPackage("io.cairn.server.wiring..", "io.cairn.server.http.actuator.."))
                        .and(not(belongToAnyOf(CairnServer.class, Launcher.class))))
                .should()
                // Its functions for passwords and for PEM are libraries by themselves.
                .dependOnClassesThat(resideInAPackage("org.springframework..")
                        .and(not(resideInAnyPackage(
                                "org.springframework.security.crypto..", "org.springframework.boot.ssl.pem.."))))
                .check(ALL);
    }

    @Test
    void aBeanIsBuiltFromFewParts() {
        BEANS.should(haveAtMostSevenParameters()).check(ALL);
    }

    @Test
    void theWiringHasNoCycles() {
        noClasses()
                .that()
                .resideInAPackage("io.cairn.server.wiring..")
                .should()
                .dependOnClassesThat()
                .haveFullyQualifiedName("org.springframework.beans.factory.ObjectProvider")
                .orShould()
                .dependOnClassesThat()
                .haveFullyQualifiedName("org.springframework.context.annotation.Lazy")
                .check(ALL);
    }

    @Test
    void routesReachTheRouterAsHttpRoutesAlone() {
        BEANS.should(notHoldRoutes(method -> method.getReturnType().getAllInvolvedRawTypes()))
                .check(ALL);
        fields().that()
                .areDeclaredInClassesThat()
                .resideInAPackage("io.cairn.server.wiring..")
                .should(notHoldRoutes(JavaField::getAllInvolvedRawTypes))
                .check(ALL);
    }

    @Test
    void theFeaturesKnowNeitherSocketsNorProtocols() {
        noClasses()
                .that()
                .resideInAnyPackage(Stream.concat(FEATURES.stream(), packages("change", "limit").stream())
                        .toArray(String[]::new))
                .and()
                .resideOutsideOfPackage(HEALTH_CHECKS)
                .should()
                .dependOnClassesThat(resideInAnyPackage(
                                "io.netty..",
                                "io.grpc..",
                                "io.cairn.api.wire.config..",
                                "io.cairn.api.wire.connection..",
                                "java.sql..")
                        // The timer wheel is not a socket.
                        .and(not(resideInAPackage("io.netty.util"))))
                .check(ALL);
    }

    @Test
    void theHealthChecksDependOnlyOnTheMeters() {
        noClasses()
                .that()
                .resideInAPackage(HEALTH_CHECKS)
                .should()
                .dependOnClassesThat(resideInAPackage("io.cairn.server..")
                        .and(not(resideInAnyPackage(HEALTH_CHECKS, "io.cairn.server.metrics.."))))
                .check(ALL);
    }

    @Test
    void theApiDependsOnNoOtherModule() {
        noClasses()
                .that()
                .resideInAPackage("io.cairn.api..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.cairn.server..", "io.netty..", "org.springframework..", "io.micrometer..")
                .check(ALL);
    }

    @Test
    void packageLiesInOneModule() {
        Map<String, Set<String>> modules = new TreeMap<>();
        for (JavaClass type : ALL) {
            String uri = type.getSource().orElseThrow().getUri().toString();
            String module = uri.substring(0, uri.length() - (type.getName().replace('.', '/') + ".class").length());
            modules.computeIfAbsent(type.getPackageName(), name -> new TreeSet<>())
                    .add(module);
        }
        assertThat(modules)
                .containsKeys("io.cairn.api.wire", "io.cairn.server.http", "io.cairn.server.http.route")
                .allSatisfy((name, found) -> assertThat(found).as(name).hasSize(1));
        assertThat(modules.values().stream().flatMap(Set::stream).distinct()).hasSize(9);
    }

    @Test
    void nothingIsInjectedIntoFields() {
        NO_CLASSES_SHOULD_USE_FIELD_INJECTION.check(ALL);
    }

    @Test
    void everythingIsLoggedThroughOneApi() {
        NO_CLASSES_SHOULD_USE_JAVA_UTIL_LOGGING.check(ALL);
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.apache.commons.logging..", "org.apache.logging.log4j..")
                .check(ALL);
    }

    /** A declared parameter has a name, a type and a sentence in the reference; {@code OpenApiIT} finds reads of others. */
    @Test
    void readsParametersByTheirDeclarations() {
        noClasses()
                .that(not(belongToAnyOf(Parameter.class, HttpAuthorizer.class)))
                .should(callMethod(HttpRequest.class, "parameter", String.class))
                .check(ALL);
    }

    @Test
    void nothingIsPrintedButByTheLauncher() {
        noClasses()
                .that(not(belongToAnyOf(Launcher.class)))
                .should(accessField(System.class, "out"))
                .orShould(accessField(System.class, "err"))
                .check(ALL);
    }

    @Test
    void everyPackageIsNullMarked() {
        classes().should(beInANullMarkedPackage()).check(ALL);
    }

    @Test
    void nothingIsNamedForBeingLeftOver() {
        noClasses()
                .should()
                .haveSimpleNameEndingWith("Utils")
                .orShould()
                .haveSimpleNameEndingWith("Util")
                .orShould()
                .haveSimpleNameEndingWith("Helper")
                .orShould()
                .haveSimpleNameEndingWith("Manager")
                .orShould()
                .haveSimpleNameEndingWith("Impl")
                .orShould()
                .haveSimpleNameEndingWith("Constants")
                .orShould()
                .resideInAnyPackage("..util..", "..utils..", "..impl..", "..model..", "..common..")
                .check(ALL);
    }

    private static ArchCondition<JavaMethod> haveAtMostSevenParameters() {
        return new ArchCondition<>("have at most " + MOST_PARAMETERS + " parameters") {
            @Override
            public void check(JavaMethod method, ConditionEvents events) {
                int count = method.getParameters().size();
                events.add(new SimpleConditionEvent(
                        method, count <= MOST_PARAMETERS, method.getFullName() + " has " + count + " parameters"));
            }
        };
    }

    private static <T extends JavaMember> ArchCondition<T> notHoldRoutes(Function<T, Set<JavaClass>> types) {
        return new ArchCondition<>("not hold routes") {
            @Override
            public void check(T member, ConditionEvents events) {
                boolean holds = types.apply(member).stream().anyMatch(type -> type.isEquivalentTo(HttpRoute.class));
                events.add(new SimpleConditionEvent(
                        member, !holds, member.getFullName() + " holds routes (expected: HttpRoutes)"));
            }
        };
    }

    private static ArchCondition<JavaClass> beInANullMarkedPackage() {
        return new ArchCondition<>("be in a package that is @NullMarked") {
            @Override
            public void check(JavaClass type, ConditionEvents events) {
                events.add(new SimpleConditionEvent(
                        type,
                        type.getPackage().isAnnotatedWith(NullMarked.class),
                        type.getPackageName() + " of " + type.getSimpleName()
                                + " has no package-info with @NullMarked"));
            }
        };
    }
}
