package io.cairn.server.http.config;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ContentDigest;
import io.cairn.api.config.Namespace;
import io.cairn.server.config.ConfigService;
import io.cairn.server.config.GrayRule;
import io.cairn.server.config.ReadPool;
import io.cairn.server.gray.GrayClient;
import io.cairn.server.gray.GrayIdentity;
import io.cairn.server.http.nodes.Gathered;
import io.cairn.server.http.nodes.NodeRead;
import io.cairn.server.mesh.MeshReads.ResourceReader;
import io.cairn.server.node.ClusterReads;
import io.cairn.server.push.Watcher;
import io.cairn.server.subscription.ConfigListeners;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The connected clients that a rule of a gray release selects, on all nodes, before it is published. Never blocks. */
public final class ReleasePreview {

    private static final Comparator<Client> BY_ADDRESS = Comparator.comparing(Client::ip)
            .thenComparing(Client::connectionId)
            .thenComparing(client -> Objects.requireNonNullElse(client.proxy(), ""))
            .thenComparing(Client::node);

    private final String self;
    private final ConfigListeners listeners;
    private final ConfigService configs;
    private final Function<ConfigKey, List<ResourceReader>> proxies;
    private final NodeRead<OfNode> onNodes;

    /** @param proxies the ones of this node that subscribe to a stored resource */
    public ReleasePreview(
            String self,
            ConfigListeners listeners,
            ConfigService configs,
            Function<ConfigKey, List<ResourceReader>> proxies,
            ClusterReads nodes,
            ReadPool pool) {
        this.self = self;
        this.listeners = listeners;
        this.configs = configs;
        this.proxies = proxies;
        this.onNodes = NodeRead.declare(nodes, "config.release.preview", OfNode.class, this::here, pool);
    }

    public record OfNode(int listeners, List<Client> clients) {}

    /**
     * A selected client.
     *
     * @param connectionId empty for a poll and a proxy
     * @param proxy the stream of a proxy over xDS; empty for others, null from earlier nodes
     * @param app of a proxy: the cluster of its node
     * @param md5 of its content, by its reports or reads; null for a proxy
     * @param before the name of its present release; empty for the content for all
     * @param gets false where another release has a higher priority
     */
    public record Client(
            String ip,
            String connectionId,

            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            String proxy,

            String app,
            String agent,

            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            String identity,

            @JsonInclude(JsonInclude.Include.NON_NULL) GrayIdentity.@Nullable By identityBy,

            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            String md5,

            String before,
            boolean gets,
            String node) {

        public boolean hasStream() {
            return proxy != null && !proxy.isEmpty();
        }
    }

    /**
     * The sum over the nodes that have answered.
     *
     * @param listeners the number of all clients of the configuration
     * @param clients the selected ones, by address
     */
    public record Preview(int listeners, int selected, int gets, List<Client> clients) {}

    public CompletionStage<Gathered<Preview>> of(ConfigKey key, GrayRule rule) {
        return onNodes.allOnPool(Map.of(
                        "namespace", key.namespace().id(),
                        "group", key.group(),
                        "dataId", key.dataId(),
                        "name", rule.name(),
                        "rule", rule.toJson()))
                .thenApply(found -> new Gathered<>(List.of(joined(found.rows())), found.silent()));
    }

    private static Preview joined(List<OfNode> nodes) {
        int listeners = 0;
        List<Client> clients = new ArrayList<>();
        for (OfNode each : nodes) {
            listeners += each.listeners();
            clients.addAll(each.clients());
        }
        clients.sort(BY_ADDRESS);
        int gets = (int) clients.stream().filter(Client::gets).count();
        return new Preview(listeners, clients.size(), gets, List.copyOf(clients));
    }

    private List<OfNode> here(Map<String, String> asked) {
        ConfigKey key = new ConfigKey(
                Namespace.ofNullable(asked.get("namespace")), required(asked, "group"), required(asked, "dataId"));
        GrayRule rule = GrayRule.read(required(asked, "name"), required(asked, "rule"));
        List<Watcher.Holding> all = listeners.holdings(key);
        List<Client> selected = new ArrayList<>();
        for (Watcher.Holding each : all) {
            if (rule.matches(key, each.reader())) {
                String app = each.reader().labels().getOrDefault(GrayIdentity.APPLICATION, "");
                selected.add(client(key, rule, each, "", app));
            }
        }
        List<ResourceReader> subscribers = proxies.apply(key);
        for (ResourceReader each : subscribers) {
            if (rule.matches(key, each.client())) {
                Watcher.Holding holding = new Watcher.Holding(each.client(), "", each.agent(), null);
                selected.add(client(key, rule, holding, each.proxy(), each.cluster()));
            }
        }
        return List.of(new OfNode(all.size() + subscribers.size(), selected));
    }

    private Client client(ConfigKey key, GrayRule rule, Watcher.Holding holding, String proxy, String app) {
        GrayClient reader = holding.reader();
        ContentDigest digest = holding.digest();
        GrayIdentity identity = reader.identity();
        GrayRule before = configs.releaseOf(key, reader);
        return new Client(
                reader.address(),
                holding.connectionId(),
                proxy,
                app,
                holding.client(),
                identity == null ? null : identity.text(),
                identity == null ? null : identity.by(),
                digest == null ? null : digest.toString(),
                before == null ? "" : before.name(),
                configs.wouldGet(key, rule, reader),
                self);
    }

    private static String required(Map<String, String> asked, String name) {
        return Objects.requireNonNull(asked.get(name), name);
    }
}
