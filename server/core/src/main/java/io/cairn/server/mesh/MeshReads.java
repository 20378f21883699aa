package io.cairn.server.mesh;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.Namespace;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.auth.Principal;
import io.cairn.server.gray.GrayClient;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads of this node's mesh edge. */
public interface MeshReads {

    Set<String> TYPES = Set.of("cds", "eds", "lds", "rds");
    Set<String> FLAVOURS = Set.of("envoy", "grpc", "mosn");

    /** Identified clients with a stream here, and those {@linkplain MeshProxy#wasRefused refused} in the last ten minutes. */
    List<MeshProxy> proxies();

    /** This node's clients with a resource, each with whether that is the {@linkplain MeshProxy#newest newest}. */
    List<MeshProxy> proxiesWith(String type, String name);

    /** By stream or refusal, or null. */
    @Nullable
    MeshProxy proxy(String id);

    /** The requested names of a type that the reader may know. */
    List<String> names(String proxyId, String type, Principal reader);

    /** The client's resources of a type by name that the reader may read; empty without such a stream. */
    List<ListedResource> resourcesOf(String proxyId, String type, Principal reader);

    /** The client's resource; null if absent or unreadable for the reader. */
    @Nullable
    ReadResource resourceOf(String proxyId, String type, String name, Principal reader);

    /**
     * The resource for a client with the reader's rights.
     *
     * @param flavour {@code envoy}, {@code grpc} or {@code mosn}
     * @return null if absent
     */
    @Nullable
    ReadResource resource(Namespace namespace, String flavour, String type, String name, Principal reader);

    /** This node's clients that subscribe to a stored resource, present or not; empty for the key of another configuration. */
    List<ResourceReader> readersOf(ConfigKey key);

    /** A namespace's services with unreadable mesh settings; empty without clients. */
    List<ServiceProblem> serviceProblems(Namespace namespace);

    /**
     * @param client as the rules of gray releases see it
     * @param proxy the stream
     * @param cluster of the node; may be empty
     */
    record ResourceReader(GrayClient client, String proxy, String cluster, String agent) {}

    /**
     * A service whose invalid settings have their defaults.
     *
     * @param problem each setting with value and expectation
     */
    record ServiceProblem(ServiceKey service, String problem) {}

    /**
     * @param version hash of the content
     * @param isStored whether it is a stored configuration
     * @param bytes encoded size
     */
    record ListedResource(String name, String version, boolean isStored, int bytes) {}

    /**
     * @param version hash of the content
     * @param isStored whether it is a stored configuration
     * @param value encoded
     */
    @SuppressWarnings("ArrayRecordComponent") // Read at once by its only reader
    record ReadResource(String type, String name, String typeUrl, String version, boolean isStored, byte[] value) {}
}
