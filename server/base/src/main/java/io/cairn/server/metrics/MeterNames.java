package io.cairn.server.metrics;

/** The name of every meter, with its tags and unit. Latencies are timers in seconds. */
public final class MeterNames {

    /** Timer: a gRPC request from its arrival to its answer. Tags: {@code type}, {@code outcome}. */
    public static final String GRPC_REQUESTS = "cairn.grpc.requests";
    /** Timer: an HTTP request from its last byte to its answer, long polls left out. Tags: {@code route}, {@code status}. */
    public static final String HTTP_REQUESTS = "cairn.http.requests";
    /** Gauge: 1, for what was built. Tags: {@code version}, {@code revision}, {@code java}. */
    public static final String BUILD_INFO = "cairn.build.info";
    /** Counter: logins and passwords sent with requests that failed. Tag: {@code reason} (wrong; locked: not looked at). */
    public static final String LOGINS_FAILED = "cairn.logins.failed";
    /** Gauge: long connections that are set up. */
    public static final String CONNECTIONS = "cairn.connections";
    /**
     * Counter: clients that were asked to connect to another server, or to this one anew. Tag: {@code reason} (isolated; draining;
     * rebalancing; operator; lost_listens: the client listens to fewer configurations than it believes).
     */
    public static final String CONNECTIONS_MOVED = "cairn.connections.moved";
    /** Gauge: open HTTP connections. */
    public static final String HTTP_CONNECTIONS = "cairn.http.connections";
    /** Gauge: seconds until the certificate of the ports ends; negative afterwards. Only with TLS. */
    public static final String CERTIFICATE_REMAINING = "cairn.tls.certificate.remaining.seconds";
    /** Counter: connections that did not come about, or were refused for not speaking TLS. Only with TLS. */
    public static final String TLS_FAILURES = "cairn.tls.failures";
    /** Gauge: how much of a limit is used; of those for each client, by the largest one. Tag: {@code limit}. */
    public static final String LIMIT_USED = "cairn.limit.used";
    /** Gauge: a limit. Tag: {@code limit}. */
    public static final String LIMIT_MAX = "cairn.limit.max";
    /** Counter: how often a limit has stopped somebody. Tag: {@code limit}. */
    public static final String LIMIT_EXCEEDED = "cairn.limit.exceeded";
    /** Gauge: parked long polls. */
    public static final String LONG_POLLS = "cairn.config.long.polls";
    /** Gauge: pairs of a watcher and a configuration it watches. */
    public static final String LISTENS = "cairn.config.listens";
    /** Gauge: pairs of a connection and a pattern by which it watches configurations. */
    public static final String CONFIG_FUZZY_WATCHES = "cairn.config.fuzzy.watches";
    /** Gauge: stored configurations. */
    public static final String CONFIGS = "cairn.configs";
    /** Counter: reads of a configuration whose content was in memory. */
    public static final String CONTENT_HITS = "cairn.config.content.hits";
    /** Counter: reads of a configuration whose content had to be read from the database. */
    public static final String CONTENT_MISSES = "cairn.config.content.misses";
    /** Gauge: bytes that the contents in memory and their encoded answers may take, which {@code cairn.config.cache} limits. */
    public static final String CONTENT_BYTES = "cairn.config.content.bytes";
    /** Gauge: seconds since the oldest release for some clients (beta included) was last published; 0 without one. */
    public static final String GRAY_OLDEST = "cairn.config.gray.oldest.seconds";
    /** Counter: malformed contents found after they were stored. */
    public static final String MALFORMED = "cairn.config.malformed";
    /** Counter: contents stored without a look at them, because too many waited for it. */
    public static final String VALIDATION_SKIPPED = "cairn.config.validation.skipped";
    /** Gauge: services that have publishers, or had until a moment ago, or are stored. */
    public static final String SERVICES = "cairn.naming.services";
    /** Gauge: instances of all services. */
    public static final String INSTANCES = "cairn.naming.instances";
    /** Counter: beats that came in over HTTP. */
    public static final String BEATS = "cairn.naming.beats";
    /**
     * Counter: instances that are no longer registered. Tag: {@code cause} (expired: heartbeats missing; connection_closed;
     * deregistered by its client; removed by an operator; not_back after a restart).
     */
    public static final String INSTANCES_LOST = "cairn.naming.instances.lost";
    /** Counter: instances that became unhealthy. Tag: {@code cause} (heartbeat: missing; check: failed; operator). */
    public static final String INSTANCES_UNHEALTHY = "cairn.naming.instances.unhealthy";
    /** Gauge: instances whose heartbeats or registrations are refused for their user, its password or its rights. */
    public static final String BEATS_REFUSED = "cairn.naming.beats.refused";
    /** Gauge: pairs of a subscriber and a selection of a service. */
    public static final String SUBSCRIBERS = "cairn.naming.subscribers";
    /** Gauge: pairs of a connection and a pattern by which it watches services. */
    public static final String FUZZY_WATCHES = "cairn.naming.fuzzy.watches";
    /** Timer: from the durable commit of a change to a receiver's acknowledgement. Tag: {@code kind}. */
    public static final String PUSH_LATENCY = "cairn.push.latency";
    /** Counter: pushes sent, retries included. Tag: {@code kind}. */
    public static final String PUSH_SENT = "cairn.push.sent";
    /** Counter: pushes not acknowledged in time or answered with a failure. Tag: {@code kind}. */
    public static final String PUSH_FAILED = "cairn.push.failed";
    /** Counter: listeners told again of a configuration's change, which they had not followed. Tag: {@code kind}. */
    public static final String PUSH_RETOLD = "cairn.push.retold";
    /** Counter: clients asked to connect anew because they listened to fewer configurations than they believed. */
    public static final String LISTENS_HEALED = "cairn.config.listens.healed";
    /** Counter: connections closed because they never acknowledged. */
    public static final String PUSH_DROPPED = "cairn.push.dropped";
    /** Timer: one group commit. */
    public static final String STORE_COMMITS = "cairn.store.commits";
    /** Counter: commands stored by group commits. */
    public static final String STORE_WRITES = "cairn.store.writes";
    /** Counter: commands refused because the queue was full. */
    public static final String STORE_REFUSED = "cairn.store.refused";
    /** Counter: commands that failed in the database. */
    public static final String STORE_FAILED = "cairn.store.failed";
    /** Gauge: seconds for which the database has been away; 0 while it is there. */
    public static final String STORE_AWAY = "cairn.store.away";
    /** Gauge: seconds for which writes have been refused, whatever the cause (a full disk, a database that is away); else 0. */
    public static final String STORE_UNWRITABLE = "cairn.store.unwritable";
    /** Gauge: configurations whose newest version is not yet in this node's mirror of the database. */
    public static final String MIRROR_BEHIND = "cairn.mirror.behind";
    /** Gauge: commands waiting for the writer. */
    public static final String STORE_QUEUE = "cairn.store.queue";

    /**
     * Timer: an active health check. Tags: {@code type} (tcp, http, mysql, grpc), {@code outcome} (passed; failed, which
     * counts; down, which flips at once; unknown, when the server itself could not ask).
     */
    public static final String HEALTH_CHECKS = "cairn.health.checks";
    /** Gauge: instances under active health checks. */
    public static final String HEALTH_CHECKED = "cairn.health.checked";

    /**
     * Gauge: nodes as this one knows them. Tag: {@code state} (joining, ready, draining, isolated; suspected: a member that is silent;
     * absent: no member; incompatible: speaks no common protocol). Only in a cluster.
     */
    public static final String CLUSTER_MEMBERS = "cairn.cluster.members";
    /** Gauge: changes of another node that this one does not have yet. Tag: {@code peer}. Only in a cluster. */
    public static final String CLUSTER_PEER_BEHIND = "cairn.cluster.peer.behind";
    /** Gauge: seconds for which changes of another node have been missing here; 0 when none is. Tag: {@code peer}. Only in a cluster. */
    public static final String CLUSTER_PEER_BEHIND_SECONDS = "cairn.cluster.peer.behind.seconds";
    /** Gauge: changes of this node that wait to be sent to another one. Tag: {@code peer}. Only in a cluster. */
    public static final String CLUSTER_PEER_UNSENT = "cairn.cluster.peer.unsent";
    /** Gauge: publications of another node that this one has. Tag: {@code peer}. Only in a cluster. */
    public static final String CLUSTER_PEER_ENTRIES = "cairn.cluster.peer.entries";
    /** Gauge: seconds by which the clock of another node is ahead of this one's. Tag: {@code peer}. Only in a cluster. */
    public static final String CLUSTER_PEER_CLOCK = "cairn.cluster.peer.clock.seconds";
    /** Gauge: publications that are kept of nodes that have departed. Only in a cluster. */
    public static final String CLUSTER_ORPHANS = "cairn.cluster.orphans";
    /** Counter: copies that differed from their owner and were sent again. Only in a cluster. */
    public static final String CLUSTER_DIVERGED = "cairn.cluster.diverged";
    /** Counter: snapshots of all that this node owns, begun for another node. Only in a cluster. */
    public static final String CLUSTER_SNAPSHOTS = "cairn.cluster.snapshots";
    /** Gauge: revisions that another node in service shows and this one does not. Only in a cluster. */
    public static final String CLUSTER_REVISION_BEHIND = "cairn.cluster.revision.behind";
    /**
     * Timer: from the commit of a group of changes to the answers to its callers. Tag: {@code outcome} (shown by all nodes in service
     * that are waited for; timeout). Only in a cluster.
     */
    public static final String CLUSTER_FENCE = "cairn.cluster.fence";
    /** Counter: questions to other nodes for what they know alone. Tag: {@code outcome} (answered, silent). Only in a cluster. */
    public static final String CLUSTER_ASKS = "cairn.cluster.asks";

    /** Gauge: streams of the mesh edge (xDS). Tag: {@code protocol} (sotw, delta). */
    public static final String XDS_STREAMS = "cairn.xds.streams";
    /** Counter: responses sent over xDS. Tag: {@code type} (cds, eds, lds, rds). */
    public static final String XDS_MESSAGES = "cairn.xds.messages";
    /** Counter: bytes of the responses sent over xDS, before compression. */
    public static final String XDS_BYTES = "cairn.xds.bytes";
    /** Counter: responses that a client refused. Tag: {@code type}. */
    public static final String XDS_NACKS = "cairn.xds.nacks";
    /** Gauge: streams whose client refused the last response of that type. Tag: {@code type}. */
    public static final String XDS_REFUSING = "cairn.xds.refusing";
    /** Gauge: streams whose client has not answered the last response of that type for a minute. Tag: {@code type}. */
    public static final String XDS_WAITING = "cairn.xds.waiting";
    /** Timer: from the publication of a change of resources to its acknowledgement by a client. */
    public static final String XDS_CONVERGENCE = "cairn.xds.convergence";

    private MeterNames() {}
}
