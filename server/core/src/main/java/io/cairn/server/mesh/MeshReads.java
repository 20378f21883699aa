package io.cairn.server.mesh;

import io.cairn.api.config.Namespace;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.auth.Principal;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads of the mesh edge of this node. Thread-safe. */
public interface MeshReads {

    /** The types, by their short names. */
    Set<String> TYPES = Set.of("cds", "eds", "lds", "rds");
    /** The kinds of clients. */
    Set<String> FLAVOURS = Set.of("envoy", "grpc", "mosn");

    /** The clients with a stream to this node, but for those that have not said which they are. */
    List<MeshProxy> proxies();

    /** The clients of this node that have a resource; each says whether that is the {@linkplain MeshProxy#newest newest}. */
    List<MeshProxy> proxiesWith(String type, String name);

    /** The client of a stream; null when this node has no such stream. */
    @Nullable
    MeshProxy proxy(String id);

    /** The names that a client asks for of a type, as far as the reader may know of them. */
    List<String> names(String proxyId, String type, Principal reader);

    /** The resource as the client gets it; null when it does not, or the reader may not read it. */
    @Nullable
    ReadResource resourceOf(String proxyId, String type, String name, Principal reader);

    /**
     * The resource as a client with the rights of the reader gets it.
     *
     * @param flavour {@code envoy}, {@code grpc} or {@code mosn}
     * @return null when there is none
     */
    @Nullable
    ReadResource resource(Namespace namespace, String flavour, String type, String name, Principal reader);

    /** The services of a namespace with settings for the mesh that cannot be read; none while there are no clients. */
    List<ServiceProblem> serviceProblems(Namespace namespace);

    /**
     * A service with settings in its metadata for which the defaults are in force.
     *
     * @param problem names each setting, its value and what is expected
     */
    record ServiceProblem(ServiceKey service, String problem) {}

    /**
     * A resource.
     *
     * @param version the hash of its content
     * @param isStored whether it was made of a stored configuration
     * @param value the encoded resource
     */
    @SuppressWarnings("ArrayRecordComponent") // read at once by its only reader
    record ReadResource(String type, String name, String typeUrl, String version, boolean isStored, byte[] value) {}
}
