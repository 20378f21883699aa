package io.cairn.server.mesh;

import io.cairn.api.config.Namespace;
import io.cairn.server.attention.Finding;
import io.cairn.server.attention.FindingSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Finds unreadable stored resources, clients that refuse or do not answer, and services with unreadable mesh settings. */
public final class MeshFindings implements FindingSource {

    private static final int MOST_OF_A_KIND = 20;

    private final StoredResources stored;
    private final MeshReads reads;

    public MeshFindings(StoredResources stored, MeshReads reads) {
        this.stored = stored;
        this.reads = reads;
    }

    @Override
    public List<Finding> findings(Namespace namespace) {
        List<Finding> found = new ArrayList<>();
        stored.unreadable(namespace).stream()
                .limit(MOST_OF_A_KIND)
                .map(MeshFindings::unreadable)
                .forEach(found::add);
        found.addAll(ofProxies(namespace));
        reads.serviceProblems(namespace).stream()
                .limit(MOST_OF_A_KIND)
                .map(MeshFindings::ofService)
                .forEach(found::add);
        return found;
    }

    /** Urgent without an earlier version at the proxies. */
    private static Finding unreadable(StoredResources.Unreadable resource) {
        return new Finding(
                Finding.Kind.MESH_RESOURCE_UNREADABLE,
                !resource.hasEarlier(),
                resource.key().dataId(),
                resource.key().group(),
                (resource.grayName().isEmpty() ? "" : "gray release " + resource.grayName() + ": ")
                        + resource.problem()
                        + (resource.hasEarlier() ? "; proxies keep the version before" : "; no proxy gets it"),
                0,
                0,
                resource.since().toEpochMilli(),
                "");
    }

    private List<Finding> ofProxies(Namespace namespace) {
        List<Finding> found = new ArrayList<>();
        for (MeshProxy proxy : reads.proxies()) {
            if (proxy.namespaceId().equals(namespace.id())) {
                for (MeshProxy.MeshProxyType type : proxy.types()) {
                    if (type.state().equals("refusing")) {
                        found.add(ofProxy(
                                Finding.Kind.MESH_PROXY_REFUSES, proxy, type, type.type() + ": " + type.error()));
                    } else if (type.state().equals("waiting")) {
                        found.add(ofProxy(Finding.Kind.MESH_PROXY_WAITS, proxy, type, type.type()));
                    }
                }
            }
        }
        return found.stream()
                .sorted(Comparator.comparingLong(Finding::since))
                .limit(MOST_OF_A_KIND)
                .toList();
    }

    private static Finding ofService(MeshReads.ServiceProblem problem) {
        return new Finding(
                Finding.Kind.MESH_SERVICE_SETTING,
                false,
                problem.service().name(),
                problem.service().group(),
                problem.problem(),
                0,
                0);
    }

    private static Finding ofProxy(Finding.Kind kind, MeshProxy proxy, MeshProxy.MeshProxyType type, String detail) {
        return new Finding(kind, false, proxy.nodeId(), proxy.namespaceId(), detail, 0, 0, type.since(), "");
    }
}
