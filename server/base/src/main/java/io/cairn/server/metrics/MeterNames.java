package io.cairn.server.metrics;

import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Declares every meter: its constant is the name, {@link #described} has kind and description. The {@code HELP} lines for
 * Prometheus and the reference page derive from here. Latencies are timers in seconds.
 */
public final class MeterNames {

    public enum Kind {
        COUNTER,
        GAUGE,
        TIMER
    }

    /** @param text the measured quantity, with its tags */
    public record Described(String name, Kind kind, String text) {}

    private static final Map<String, Described> ALL = new LinkedHashMap<>();

    public static final String GRPC_REQUESTS = timer(
            "cairn.grpc.requests", "Time from the arrival of a gRPC request to its response. Tags: type, outcome.");
    public static final String HTTP_REQUESTS = timer(
            "cairn.http.requests",
            "Time from the last byte of an HTTP request to its response, without long polls. Tags: route, "
                    + "status.");
    public static final String BUILD_INFO =
            gauge("cairn.build.info", "Always 1; the tags name the build. Tags: version, revision, java.");
    public static final String LOGINS_FAILED = counter(
            "cairn.logins.failed",
            "Failed logins, and requests with a wrong password. Tag: reason (wrong; locked: the password "
                    + "was not checked; issuer: a login at the issuer).");
    public static final String LOGINS = counter(
            "cairn.logins",
            "Successful logins. Tag: source (local: by a checked password; oidc: by a new token of the issuer; "
                    + "ldap: by a password in the directory).");
    public static final String SERVED_WITHOUT = counter(
            "cairn.clients.served.without",
            "Requests of clients that would be refused if clients needed a login, while they need none. Tag: missing (login; "
                    + "right: in a rehearsal).");
    public static final String DIRECTORY_LOGINS_REFUSED = counter(
            "cairn.directory.logins.refused",
            "Refused logins of users of a directory. Only with a directory. Tag: reason (unknown: no entry has the name; "
                    + "ambiguous: several have it; name: unfit, or the entry has another; subject: the entry has no subject; "
                    + "password; busy: too many logins at a time; away: no server answered).");
    public static final String ISSUER_TOKENS_REFUSED = counter(
            "cairn.issuer.tokens.refused",
            "Requests with a refused token of an issuer. Only with an issuer. Tag: reason (issuer: of another "
                    + "issuer; algorithm; key: an unknown one; signature; audience; expired; not_yet_valid; type: no access "
                    + "token; subject).");
    public static final String CONNECTIONS = gauge("cairn.connections", "Long connections that are set up.");
    public static final String CONNECTIONS_MOVED = counter(
            "cairn.connections.moved",
            "Clients that were asked to reconnect, to another server or to this one. Tag: reason (isolated; "
                    + "draining; rebalancing; operator; lost_listens: the client listens to fewer configurations than "
                    + "it believes).");
    public static final String HTTP_CONNECTIONS = gauge("cairn.http.connections", "Open HTTP connections.");
    public static final String CERTIFICATE_REMAINING = gauge(
            "cairn.tls.certificate.remaining.seconds",
            "Seconds until the certificate of the ports expires; negative afterwards. Only with TLS.");
    public static final String TLS_FAILURES = counter(
            "cairn.tls.failures",
            "Connections that failed in the TLS handshake or were refused because they did not use TLS. "
                    + "Only with TLS.");
    public static final String LIMIT_USED =
            gauge("cairn.limit.used", "Used part of a limit; of a limit for each client, the largest use. Tag: limit.");
    public static final String LIMIT_MAX = gauge("cairn.limit.max", "Value of a limit. Tag: limit.");
    public static final String LIMIT_EXCEEDED =
            counter("cairn.limit.exceeded", "Requests or connections that a limit refused. Tag: limit.");
    public static final String LONG_POLLS = gauge("cairn.config.long.polls", "Long polls that wait for a change.");
    public static final String LISTENS =
            gauge("cairn.config.listens", "Pairs of a listener and a configuration that it watches.");
    public static final String CONFIG_FUZZY_WATCHES = gauge(
            "cairn.config.fuzzy.watches", "Pairs of a connection and a pattern by which it watches configurations.");
    public static final String CONFIGS = gauge("cairn.configs", "Stored configurations.");
    public static final String CONTENT_HITS =
            counter("cairn.config.content.hits", "Reads of a configuration whose content was in memory.");
    public static final String CONTENT_MISSES = counter(
            "cairn.config.content.misses", "Reads of a configuration whose content had to be read from the database.");
    public static final String CONTENT_BYTES = gauge(
            "cairn.config.content.bytes",
            "Bytes that the contents in memory and their encoded answers may take, which cairn.config.cache limits.");
    public static final String GRAY_OLDEST = gauge(
            "cairn.config.gray.oldest.seconds",
            "Seconds since the oldest gray release (beta included) was last published; 0 without one.");
    public static final String MALFORMED =
            counter("cairn.config.malformed", "Contents that were found to be malformed after they were stored.");
    public static final String VALIDATION_SKIPPED = counter(
            "cairn.config.validation.skipped",
            "Contents that were stored without validation because its queue was full.");
    public static final String SERVICES =
            gauge("cairn.naming.services", "Services that have publishers, had some a moment ago, or are stored.");
    public static final String INSTANCES = gauge("cairn.naming.instances", "Instances of all services.");
    public static final String BEATS = counter("cairn.naming.beats", "Heartbeats that arrived over HTTP.");
    public static final String INSTANCES_LOST = counter(
            "cairn.naming.instances.lost",
            "Instances that are no longer registered. Tag: cause (expired: heartbeats missing; "
                    + "connection_closed; deregistered by its client; removed by an operator; not_back after a "
                    + "restart, or after its node left the cluster).");
    public static final String INSTANCES_UNHEALTHY = counter(
            "cairn.naming.instances.unhealthy",
            "Instances that became unhealthy. Tag: cause (heartbeat: missing; check: failed; operator).");
    public static final String BEATS_REFUSED = gauge(
            "cairn.naming.beats.refused",
            "Instances whose heartbeats or registrations are refused because of their user, its password or "
                    + "its rights.");
    public static final String SUBSCRIBERS =
            gauge("cairn.naming.subscribers", "Pairs of a subscriber and a selection of a service.");
    public static final String FUZZY_WATCHES =
            gauge("cairn.naming.fuzzy.watches", "Pairs of a connection and a pattern by which it watches services.");
    public static final String DRAINS = timer(
            "cairn.naming.drains",
            "Time from the begin of a drain to the last acknowledgement, or to the time limit. Tag: acknowledged "
                    + "(true; false: at the time limit).");
    public static final String DRAINS_WAITING =
            counter("cairn.naming.drains.waiting", "Subscribers that had not acknowledged a drain at its time limit.");
    public static final String PUSH_LATENCY = timer(
            "cairn.push.latency",
            "Time from the durable commit of a change to the acknowledgement of a receiver. Tag: kind.");
    public static final String PUSH_SENT =
            counter("cairn.push.sent", "Pushes that were sent, retries included. Tag: kind.");
    public static final String PUSH_FAILED = counter(
            "cairn.push.failed",
            "Pushes that were not acknowledged in time or were answered with a failure. Tag: kind.");
    public static final String PUSH_RETOLD = counter(
            "cairn.push.retold",
            "Listeners that were notified again because they had not followed a change of a configuration. "
                    + "Tag: kind.");
    public static final String CLIENT_EVENTS_DROPPED = counter(
            "cairn.config.client.events.dropped",
            "Events of clients that were not kept, because too many came at once or the disk refused them.");
    public static final String LISTENS_HEALED = counter(
            "cairn.config.listens.healed",
            "Clients that were asked to reconnect because they listened to fewer configurations than they "
                    + "believed.");
    public static final String PUSH_DROPPED =
            counter("cairn.push.dropped", "Connections that were closed because they never acknowledged. Tag: kind.");
    public static final String STORE_COMMITS = timer("cairn.store.commits", "Time of a group commit.");
    public static final String STORE_WRITES =
            counter("cairn.store.writes", "Commands that were stored by group commits.");
    public static final String STORE_REFUSED =
            counter("cairn.store.refused", "Commands that were refused because the queue was full.");
    public static final String STORE_FAILED = counter("cairn.store.failed", "Commands that failed in the database.");
    public static final String STORE_AWAY =
            gauge("cairn.store.away", "Seconds for which the database has been unavailable; 0 while it is available.");
    public static final String STORE_UNWRITABLE = gauge(
            "cairn.store.unwritable",
            "Seconds for which writes have been refused, for any cause (a full disk, an unavailable "
                    + "database); 0 while they are accepted.");
    public static final String MIRROR_BEHIND = gauge(
            "cairn.mirror.behind",
            "Configurations whose newest version is not yet in this node's mirror of the database.");
    public static final String STORE_QUEUE = gauge("cairn.store.queue", "Commands that wait for the writer.");
    public static final String HEALTH_CHECKS = timer(
            "cairn.health.checks",
            "Time of an active health check. Tags: type (tcp, http, mysql, grpc), outcome (passed; failed, "
                    + "which counts; down, which makes the instance unhealthy at once; unknown, when the server "
                    + "itself could not send the check).");
    public static final String HEALTH_CHECKED = gauge("cairn.health.checked", "Instances under active health checks.");

    public static final String CLUSTER_MEMBERS = gauge(
            "cairn.cluster.members",
            "Nodes as this node knows them. Tag: state (joining, ready, draining, isolated; suspected: a "
                    + "member that is silent; absent: no member; incompatible: has no common protocol version). Only "
                    + "in a cluster.");
    public static final String CLUSTER_PEER_BEHIND = gauge(
            "cairn.cluster.peer.behind",
            "Changes of another node that this node does not have yet. Tag: peer. Only in a cluster.");
    public static final String CLUSTER_PEER_BEHIND_SECONDS = gauge(
            "cairn.cluster.peer.behind.seconds",
            "Seconds for which changes of another node have been missing here; 0 when none is missing. Tag: "
                    + "peer. Only in a cluster.");
    public static final String CLUSTER_PEER_UNSENT = gauge(
            "cairn.cluster.peer.unsent",
            "Changes of this node that wait to be sent to another node. Tag: peer. Only in a cluster.");
    public static final String CLUSTER_PEER_ENTRIES = gauge(
            "cairn.cluster.peer.entries",
            "Publications of another node that this node has. Tag: peer. Only in a cluster.");
    public static final String CLUSTER_PEER_CLOCK = gauge(
            "cairn.cluster.peer.clock.seconds",
            "Seconds by which the clock of another node is ahead of the clock of this node. Tag: peer. Only "
                    + "in a cluster.");
    public static final String CLUSTER_ORPHANS =
            gauge("cairn.cluster.orphans", "Publications that are kept of nodes that have left. Only in a cluster.");
    public static final String CLUSTER_DIVERGED = counter(
            "cairn.cluster.diverged", "Copies that differed from their owner and were sent again. Only in a cluster.");
    public static final String CLUSTER_SNAPSHOTS = counter(
            "cairn.cluster.snapshots",
            "Snapshots of everything that this node owns, begun for another node. Only in a cluster.");
    public static final String CLUSTER_REVISION_BEHIND = gauge(
            "cairn.cluster.revision.behind",
            "Revisions that another node in service shows and this node does not. Only in a cluster.");
    public static final String CLUSTER_FENCE = timer(
            "cairn.cluster.fence",
            "Time from the commit of a group of changes to the responses to its callers. Tag: outcome "
                    + "(shown by all nodes in service that are waited for; timeout). Only in a cluster.");
    public static final String CLUSTER_ASKS = counter(
            "cairn.cluster.asks",
            "Requests to other nodes for data that only they have. Tag: outcome (answered, silent). Only in "
                    + "a cluster.");

    public static final String XDS_STREAMS =
            gauge("cairn.xds.streams", "Open streams of the mesh edge (xDS). Tag: protocol (sotw, delta).");
    public static final String XDS_MESSAGES =
            counter("cairn.xds.messages", "Responses that were sent over xDS. Tag: type (cds, eds, lds, rds).");
    public static final String XDS_BYTES =
            counter("cairn.xds.bytes", "Bytes of the responses that were sent over xDS, before compression.");
    public static final String XDS_NACKS = counter("cairn.xds.nacks", "Responses that a client refused. Tag: type.");
    public static final String XDS_REFUSED_STREAMS = counter(
            "cairn.xds.refused.streams",
            "Streams that the server refused or ended. Tag: reason (unauthenticated, denied, limit, invalid, failed, unavailable).");
    public static final String XDS_REFUSING =
            gauge("cairn.xds.refusing", "Streams whose client refused the last response of that type. Tag: type.");
    public static final String XDS_WAITING = gauge(
            "cairn.xds.waiting",
            "Streams whose client has not answered the last response of that type for a minute. Tag: type.");
    public static final String XDS_CONVERGENCE = timer(
            "cairn.xds.convergence",
            "Time from the publication of a change of resources to its acknowledgement by a client.");

    private MeterNames() {}

    public static Collection<Described> all() {
        return Collections.unmodifiableCollection(ALL.values());
    }

    /** Null for a meter that is not declared here, such as a meter of the JVM. */
    public static @Nullable Described described(String name) {
        return ALL.get(name);
    }

    private static String counter(String name, String text) {
        return declare(name, Kind.COUNTER, text);
    }

    private static String gauge(String name, String text) {
        return declare(name, Kind.GAUGE, text);
    }

    private static String timer(String name, String text) {
        return declare(name, Kind.TIMER, text);
    }

    private static String declare(String name, Kind kind, String text) {
        ALL.put(name, new Described(name, kind, text));
        return name;
    }
}
