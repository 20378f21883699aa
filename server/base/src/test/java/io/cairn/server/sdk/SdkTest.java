package io.cairn.server.sdk;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SdkTest {

    @ParameterizedTest
    @CsvSource({
        "Nacos-Java-Client:v2.5.1,   0,  false, true,  true,  java,",
        "Nacos-Python-Client:v3.2.0, 45, true,  false, false, ",
        "Nacos-Rust-Client:0.8.3,    90, false, false, false, ",
        "Nacos-Go-Client:v2.3.5,     0,  false, false, false, go",
        "Nacos-CSharp-Client:1.1.0,  0,  false, false, false, csharp",
        "Nacos-Java-Client,          0,  false, true,  true,  ,",
        "Nacos-Java-Clientele:v1.0,  0,  false, false, false, ",
        "2.0.0,                      0,  false, false, false, ",
        "'',                         0,  false, false, false, "
    })
    void eachLibraryHasItsBehaviors(
            String userAgent, long slowestReturn, boolean reads, boolean loses, boolean decompresses, String udp) {
        Sdk sdk = Sdk.of(userAgent);

        assertThat(sdk.slowestReturn()).hasSeconds(slowestReturn);
        assertThat(sdk.readsInsteadOfListening()).isEqualTo(reads);
        assertThat(sdk.losesListens()).isEqualTo(loses);
        assertThat(sdk.losesListensOnNewConnections()).isEqualTo(userAgent.startsWith("Nacos-Go"));
        assertThat(sdk.decompressesWithSdch()).isEqualTo(decompresses);
        assertThat(sdk.udpLanguage()).isEqualTo(udp);
        assertThat(sdk.alwaysTakesUdpPushes()).isFalse();
    }

    @Test
    void clientWithoutVersionIsUnknown() {
        assertThat(Sdk.of(null)).isEqualTo(Sdk.UNKNOWN).hasToString("unknown");
        assertThat(Sdk.of("Nacos-Go-Client:v2.3.5")).isNotEqualTo(Sdk.UNKNOWN).hasToString("Nacos-Go-Client:v2.3.5");
    }

    @Test
    void theDnsClientTakesPushesInEachVersion() {
        assertThat(Sdk.of("Nacos-DNS:v1.0").alwaysTakesUdpPushes()).isTrue();
        assertThat(Sdk.of("Nacos-DNS").alwaysTakesUdpPushes()).isTrue();
    }

    @Test
    void theGrpcLibraryForPythonTakesUnregisteredForHealthy() {
        assertThat(Sdk.takesUnregisteredForHealthy("grpc-python/1.83.1 grpc-c/50.0.0"))
                .isTrue();
        assertThat(Sdk.takesUnregisteredForHealthy("grpc-java-netty/1.65.0")).isFalse();
        assertThat(Sdk.takesUnregisteredForHealthy("grpc")).isFalse();
    }

    /** A name of a library in another class would be a behavior that the table of this one does not have. */
    @Test
    void noOtherClassOfTheServerKnowsALibraryByItsName() throws IOException {
        Path server =
                Path.of(System.getProperty("basedir", ".")).toAbsolutePath().getParent();
        Pattern name = Pattern.compile("\"(?:Nacos-[A-Za-z]+-Client|Nacos-DNS|grpc-(?:python|java|node|go)\\b)");
        List<String> found;
        try (Stream<Path> files = Files.walk(server)) {
            found = files.filter(file -> file.toString().contains("/src/main/java/"))
                    .filter(file -> file.toString().endsWith(".java") && !file.endsWith("sdk/Sdk.java"))
                    .filter(file -> !file.toString().contains("/measure/"))
                    .filter(file -> name.matcher(read(file)).find())
                    .map(file -> server.relativize(file).toString())
                    .toList();
        }
        assertThat(found).isEmpty();
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
