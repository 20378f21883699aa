package io.cairn.server.http.core;

import io.cairn.server.config.ReadPool;
import io.cairn.server.http.envelope.SilentNodes;
import io.cairn.server.http.nodes.NodeRead;
import io.cairn.server.node.ClusterMembers;
import io.cairn.server.node.ClusterReads;
import io.cairn.server.node.CopyStatus;
import io.cairn.server.node.NodeStatus;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Gathers the descriptions of all nodes. Never blocks. */
public final class ClusterStatusReads {

    private final ClusterMembers members;
    private final NodeRead<Report> reports;

    /** A node's description of itself, as nodes exchange it. */
    record Report(
            String address,
            String state,
            @Nullable String reason,
            String version,
            long startedAt,
            long since,
            long connections,
            long subscriptions,
            long owned,
            long mirrored,
            long revision,
            List<ClusterStatus.Copy> copies) {

        static Report of(NodeStatus self, long subscriptions, List<CopyStatus> copies) {
            return new Report(
                    self.address(),
                    self.state().name(),
                    self.reason(),
                    self.version(),
                    self.startedAt(),
                    self.since(),
                    self.connections(),
                    subscriptions,
                    self.owned(),
                    self.mirrored(),
                    self.revision(),
                    copies.stream()
                            .map(copy -> new ClusterStatus.Copy(
                                    copy.owner(),
                                    copy.entries(),
                                    copy.behind(),
                                    copy.behindMillis(),
                                    copy.digestsEqual()))
                            .toList());
        }
    }

    /** @param subscriptions the number of subscriptions of this node's clients */
    public ClusterStatusReads(ClusterMembers members, LongSupplier subscriptions, ClusterReads nodes, ReadPool pool) {
        this.members = members;
        this.reports = NodeRead.declare(
                nodes,
                "nodes.status",
                Report.class,
                asked -> List.of(Report.of(members.self(), subscriptions.getAsLong(), members.copies())),
                pool);
    }

    public <R> CompletionStage<R> read(BiFunction<ClusterStatus, SilentNodes, R> answer) {
        return reports.all(Map.of()).thenApply(all -> answer.apply(status(all.rows()), all.silent()));
    }

    private ClusterStatus status(List<Report> reports) {
        Map<String, Report> byAddress = new HashMap<>();
        long newest = 0;
        for (Report report : reports) {
            byAddress.put(report.address(), report);
            newest = Math.max(newest, report.revision());
        }
        NodeStatus self = members.self();
        Map<String, CopyStatus> seen = new HashMap<>();
        members.copies().forEach(copy -> seen.put(copy.owner(), copy));
        long last = newest;
        return new ClusterStatus(
                members.isCluster(),
                self.address(),
                members.all().stream()
                        .map(known -> {
                            Report report = byAddress.get(known.address());
                            Long offset =
                                    known.address().equals(self.address()) ? Long.valueOf(0) : offset(seen, known);
                            return report == null
                                    ? described(known, last, offset)
                                    : described(report, known, last, offset);
                        })
                        .toList());
    }

    private static @Nullable Long offset(Map<String, CopyStatus> seen, NodeStatus node) {
        CopyStatus copy = seen.get(node.address());
        return copy == null ? null : copy.clockOffsetMillis();
    }

    private static ClusterStatus.Node described(Report report, NodeStatus known, long newest, @Nullable Long offset) {
        List<ClusterStatus.Copy> copies = report.copies();
        return new ClusterStatus.Node(
                report.address(),
                true,
                report.state(),
                known.presence().name(),
                report.reason(),
                report.version(),
                report.startedAt(),
                report.since(),
                known.seenAt(),
                report.connections(),
                report.subscriptions(),
                report.owned(),
                report.mirrored(),
                copies.stream().mapToLong(ClusterStatus.Copy::behind).sum(),
                copies.stream()
                        .mapToLong(ClusterStatus.Copy::behindMillis)
                        .max()
                        .orElse(0),
                digestsEqual(copies),
                report.revision(),
                Math.max(0, newest - report.revision()),
                offset,
                copies);
    }

    /** False when a copy differs; null before a comparison. */
    private static @Nullable Boolean digestsEqual(List<ClusterStatus.Copy> copies) {
        List<Boolean> compared = copies.stream()
                .map(ClusterStatus.Copy::digestsEqual)
                .filter(Objects::nonNull)
                .toList();
        return compared.isEmpty() ? null : Boolean.valueOf(!compared.contains(false));
    }

    private static ClusterStatus.Node described(NodeStatus known, long newest, @Nullable Long offset) {
        return new ClusterStatus.Node(
                known.address(),
                false,
                known.state().name(),
                known.presence().name(),
                known.reason(),
                known.version(),
                known.startedAt(),
                known.since(),
                known.seenAt(),
                known.connections(),
                0,
                known.owned(),
                0,
                0,
                0,
                null,
                known.revision(),
                known.revision() == 0 ? 0 : Math.max(0, newest - known.revision()),
                offset,
                List.of());
    }
}
