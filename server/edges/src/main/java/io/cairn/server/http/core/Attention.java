package io.cairn.server.http.core;

import io.cairn.api.config.Namespace;
import io.cairn.server.attention.Finding;
import io.cairn.server.attention.FindingSource;
import io.cairn.server.config.ReadPool;
import io.cairn.server.http.nodes.Gathered;
import io.cairn.server.http.nodes.NodeRead;
import io.cairn.server.node.ClusterReads;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Gathers the findings of all nodes. Never blocks. */
public final class Attention {

    private static final String NAMESPACE = "namespace";
    private static final List<String> KINDS =
            Stream.of(Finding.Kind.values()).map(Enum::name).toList();
    /** Urgent findings first, then by kind; kinds of later releases last. */
    private static final Comparator<ReportedFinding> ORDER = Comparator.comparing(
                    (ReportedFinding finding) -> !finding.urgent())
            .thenComparingInt(finding -> KINDS.contains(finding.kind()) ? KINDS.indexOf(finding.kind()) : KINDS.size());

    private final List<FindingSource> sources;
    private final Supplier<Optional<String>> self;
    private final NodeRead<ReportedFinding> findings;

    /**
     * @param self the address of this node; empty on a single server
     * @param pool a small bounded pool for the sources
     */
    public Attention(List<FindingSource> sources, Supplier<Optional<String>> self, ClusterReads nodes, ReadPool pool) {
        this.sources = List.copyOf(sources);
        this.self = self;
        this.findings = NodeRead.declare(
                nodes,
                "findings",
                ReportedFinding.class,
                asked -> here(Namespace.ofNullable(asked.get(NAMESPACE))),
                pool);
    }

    /**
     * The findings of all nodes, urgent ones first, then by kind. Findings that differ only in their time are one, with the
     * earliest time and all nodes.
     */
    public CompletionStage<Gathered<ReportedFinding>> findings(Namespace namespace) {
        return findings.allOnPool(Map.of(NAMESPACE, namespace.id()))
                .thenApply(all -> new Gathered<>(joined(all.rows()), all.silent()));
    }

    private List<ReportedFinding> here(Namespace namespace) {
        List<String> node = self.get().stream().toList();
        List<ReportedFinding> all = new ArrayList<>();
        for (FindingSource source : sources) {
            for (Finding found : source.findings(namespace)) {
                all.add(ReportedFinding.of(found, node));
            }
        }
        return all;
    }

    private static List<ReportedFinding> joined(List<ReportedFinding> all) {
        Map<ReportedFinding, TreeSet<String>> nodes = new LinkedHashMap<>();
        Map<ReportedFinding, Long> since = new HashMap<>();
        for (ReportedFinding found : all) {
            ReportedFinding same = found.by(List.of(), 0);
            nodes.computeIfAbsent(same, first -> new TreeSet<>()).addAll(found.nodes());
            since.merge(same, found.since(), Math::min);
        }
        List<ReportedFinding> joined = new ArrayList<>();
        nodes.forEach(
                (found, reporting) -> joined.add(found.by(List.copyOf(reporting), since.getOrDefault(found, 0L))));
        joined.sort(ORDER);
        return joined;
    }
}
