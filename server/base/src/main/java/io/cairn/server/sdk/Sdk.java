package io.cairn.server.sdk;

import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The client library (SDK) of a client, read from the version of the connection's setup or the header {@code User-Agent}. Only this
 * class knows client libraries by name. Each method is a behavior that the server works around; docs/internals/sdk-quirks.md has
 * the measured versions. Clients can forge it, so no right depends on it.
 */
public final class Sdk {

    /** An unknown library, without any of the behaviors. */
    public static final Sdk UNKNOWN = new Sdk(Library.OTHER, "");

    /** How the user agent of gRPC calls of the Python library begins. */
    private static final String GRPC_PYTHON = "grpc-python";

    private final Library library;
    private final String version;

    /** Libraries by their names; {@code language} is the name in the naming switches. */
    private enum Library {
        JAVA("Nacos-Java-Client", "java"),
        CAIRN("Cairn-Java-Client", null),
        C("Nacos-C-Client", "c"),
        GO("Nacos-Go-Client", "go"),
        CSHARP("Nacos-CSharp-Client", "csharp"),
        PYTHON("Nacos-Python-Client", null),
        RUST("Nacos-Rust-Client", null),
        DNS("Nacos-DNS", null),
        OTHER("", null);

        private static final Map<String, Library> BY_NAME =
                Arrays.stream(values()).collect(Collectors.toUnmodifiableMap(each -> each.agent, Function.identity()));

        private final String agent;
        private final @Nullable String language;

        Library(String agent, @Nullable String language) {
            this.agent = agent;
            this.language = language;
        }
    }

    private Sdk(Library library, String version) {
        this.library = library;
        this.version = version;
    }

    /** @param userAgent a name, a colon and a version, such as {@code Nacos-Java-Client:v2.5.1}, if the client sends it */
    public static Sdk of(@Nullable String userAgent) {
        if (userAgent == null) {
            return UNKNOWN;
        }
        if (userAgent.startsWith(Library.DNS.agent)) {
            return new Sdk(Library.DNS, userAgent.substring(Library.DNS.agent.length()));
        }
        int colon = userAgent.indexOf(':');
        Library library = Library.BY_NAME.get(colon < 0 ? userAgent : userAgent.substring(0, colon));
        return library == null || library == Library.OTHER
                ? UNKNOWN
                : new Sdk(library, colon < 0 ? "" : userAgent.substring(colon + 1));
    }

    public String version() {
        return version;
    }

    /**
     * The time after a restart within which clients register again, where it exceeds that of other libraries; else zero. Python
     * registers every 30 s and returned after 33 s at the latest; Rust connects at intervals up to 64 s and returned after 74 s.
     */
    public Duration slowestReturn() {
        return switch (library) {
            case PYTHON -> Duration.ofSeconds(45);
            case RUST -> Duration.ofSeconds(90);
            default -> Duration.ZERO;
        };
    }

    /** Whether a listening client reads a configuration after a change and does not listen again before the next change. */
    public boolean readsInsteadOfListening() {
        return library == Library.PYTHON;
    }

    /** Whether a client reports the content that it holds if it is asked (the official one from 2.0 on). */
    public boolean reportsContents() {
        return library == Library.JAVA || library == Library.CAIRN;
    }

    /** Whether a client may wrongly assume listens lost with a broken connection (2.0.3 and newer). */
    public boolean losesListens() {
        return library == Library.JAVA;
    }

    /**
     * Whether a client may wrongly assume all its listens on a new connection, if the former connection broke during a listen
     * (2.3.5), and does not report their number.
     */
    public boolean losesListensOnNewConnections() {
        return library == Library.GO;
    }

    /**
     * Whether a client that announces {@code sdch} beside {@code gzip} decompresses. The official Java library announces both; the
     * first Go releases copied its headers and do not decompress.
     */
    public boolean decompressesWithSdch() {
        return library == Library.JAVA;
    }

    /** Whether every version accepts UDP pushes of services. */
    public boolean alwaysTakesUdpPushes() {
        return library == Library.DNS;
    }

    /** The language for which a naming switch sets the first version with UDP pushes; null for libraries without them. */
    public @Nullable String udpLanguage() {
        return version.isEmpty() ? null : library.language;
    }

    /**
     * Whether a gRPC library accepts any code from 300 to 399 for a health check, also "connection not set up".
     *
     * @param grpcUserAgent the header {@code user-agent} of the call, with the gRPC library's own name
     */
    public static boolean takesUnregisteredForHealthy(String grpcUserAgent) {
        return grpcUserAgent.startsWith(GRPC_PYTHON);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Sdk that && library == that.library && version.equals(that.version);
    }

    @Override
    public int hashCode() {
        return Objects.hash(library, version);
    }

    @Override
    public String toString() {
        return library == Library.OTHER ? "unknown" : library.agent + ':' + version;
    }
}
