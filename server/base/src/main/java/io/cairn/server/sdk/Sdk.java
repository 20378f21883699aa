package io.cairn.server.sdk;

import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The client library (SDK) at the other end, made from what the client says of itself: the version of a connection's setup, or the header
 * {@code User-Agent}. It alone knows client libraries by their names. Each method is one behavior that the server works around;
 * docs/internals/sdk-quirks.md has the versions that were measured. Nothing of it is proof of anything, so no right depends on it. Immutable.
 */
public final class Sdk {

    /** A library that is not known; it has none of the behaviors. */
    public static final Sdk UNKNOWN = new Sdk(Library.OTHER, "");

    /** How the user agent of gRPC calls begins that come from the library for Python. */
    private static final String GRPC_PYTHON = "grpc-python";

    private final Library library;
    private final String version;

    /** The libraries by the names under which they introduce themselves; {@code language} is what the naming switches call it. */
    private enum Library {
        JAVA("Nacos-Java-Client", "java"),
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

    /** @param userAgent a name, a colon and a version, such as {@code Nacos-Java-Client:v2.5.1}; null when the client says nothing */
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

    /** The version as the client writes it; empty when it names none. */
    public String version() {
        return version;
    }

    /**
     * How long after a restart of the server the instances of its clients may take to be registered again, where that is longer than
     * other libraries need; zero otherwise. The one for Python registers in a turn that comes every 30 s and was back after 33 s at the
     * latest; the one for Rust connects at intervals that grow to 64 s and was back after 74 s.
     */
    public Duration slowestReturn() {
        return switch (library) {
            case PYTHON -> Duration.ofSeconds(45);
            case RUST -> Duration.ofSeconds(90);
            default -> Duration.ZERO;
        };
    }

    /** Whether a client that listens to a configuration reads it after a change and does not listen again before the next one. */
    public boolean readsInsteadOfListening() {
        return library == Library.PYTHON;
    }

    /** Whether a client may take configurations for listened to that were lost with a broken connection (2.0.3 and newer). */
    public boolean losesListens() {
        return library == Library.JAVA;
    }

    /**
     * Whether a client may take all it listens to for listened to on a new connection, when a listen was under way as the one before
     * broke (2.3.5), and cannot be asked to how many configurations it wants to listen.
     */
    public boolean losesListensOnNewConnections() {
        return library == Library.GO;
    }

    /**
     * Whether a client that announces {@code sdch} beside {@code gzip} decompresses. The official Java library announces both, and the
     * first releases of the one for Go copied its headers without decompressing.
     */
    public boolean decompressesWithSdch() {
        return library == Library.JAVA;
    }

    /** Whether every version takes pushes of services over UDP. */
    public boolean alwaysTakesUdpPushes() {
        return library == Library.DNS;
    }

    /** The language by which a naming switch says from which version on UDP pushes are taken; null for libraries that take none. */
    public @Nullable String udpLanguage() {
        return version.isEmpty() ? null : library.language;
    }

    /**
     * Whether a gRPC library takes each answer to a health check with a code from 300 to 399 for a good one, also that its connection is
     * not set up.
     *
     * @param grpcUserAgent the header {@code user-agent} of the call, in which the gRPC library writes its own name
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

    /** The name and version, for logs. */
    @Override
    public String toString() {
        return library == Library.OTHER ? "unknown" : library.agent + ':' + version;
    }
}
