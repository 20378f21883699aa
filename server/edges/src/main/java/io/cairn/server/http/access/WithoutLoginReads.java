package io.cairn.server.http.access;

import io.cairn.server.auth.AccessPolicy;
import io.cairn.server.auth.ApiKind;
import io.cairn.server.auth.ClientsWithoutLogin;
import io.cairn.server.config.ReadPool;
import io.cairn.server.http.nodes.Gathered;
import io.cairn.server.http.nodes.NodeRead;
import io.cairn.server.node.ClusterReads;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** The clients of all nodes that are served without the login or the right that they lack. Never blocks. */
public final class WithoutLoginReads {

    private final NodeRead<NodeReport> reports;

    /**
     * One node's clients.
     *
     * @param clientsNeedLogin whether they do at this node; the list is empty then
     * @param observed whether there are users, and clients need no login yet
     * @param rehearsal whether rights are checked too
     * @param since epoch milliseconds of the node's start
     * @param incomplete whether more clients came than the node remembers
     * @param clients the latest first
     */
    public record NodeReport(
            String node,
            boolean clientsNeedLogin,
            boolean observed,
            boolean rehearsal,
            long since,
            boolean incomplete,
            List<ClientsWithoutLogin.Seen> clients) {}

    /** @param self names this node after its start */
    public WithoutLoginReads(
            ClientsWithoutLogin clients,
            AccessPolicy policy,
            Supplier<String> self,
            ClusterReads nodes,
            ReadPool pool) {
        this.reports = NodeRead.declare(
                nodes,
                "clients.without-login",
                NodeReport.class,
                asked -> List.of(new NodeReport(
                        self.get(),
                        policy.needsLogin(ApiKind.CLIENT),
                        policy.servesClientsWithoutLogin(),
                        clients.isRehearsal(),
                        clients.sinceMillis(),
                        clients.isIncomplete(),
                        clients.list().stream()
                                .sorted(Comparator.comparingLong(ClientsWithoutLogin.Seen::lastSeen)
                                        .reversed())
                                .toList())),
                pool);
    }

    public CompletionStage<Gathered<NodeReport>> all() {
        return reports.allOnPool(Map.of());
    }
}
