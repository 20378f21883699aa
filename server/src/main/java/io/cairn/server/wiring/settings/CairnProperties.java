package io.cairn.server.wiring.settings;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.config.validation.ValidationMode;
import java.nio.file.Path;
import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Cairn's own settings, below {@code cairn.} in {@code conf/application.properties}. {@link NacosSettings} reads keys of Nacos.
 *
 * @param dataDir folder of the embedded database and the lock, relative to the home folder; for one server only
 * @param ioThreads threads for all sockets; 0 for one for each processor
 */
@ConfigurationProperties("cairn")
public record CairnProperties(
        @DefaultValue("data") Path dataDir,
        @DefaultValue("0") int ioThreads,
        @DefaultValue Config config,
        @DefaultValue Naming naming,
        @DefaultValue Store store,
        @DefaultValue Database database,
        @DefaultValue Push push,
        @DefaultValue Connections connections,
        @DefaultValue Grpc grpc,
        @DefaultValue Http http,
        @DefaultValue Limits limits,
        @DefaultValue Shutdown shutdown,
        @DefaultValue Log log) {

    private static final long GIBIBYTE = 1L << 30;
    private static final int MANY = 10_000_000;

    public CairnProperties {
        inRange("io-threads", ioThreads, 0, 1024);
    }

    /**
     * @param maxContent largest content, in UTF-8
     * @param validation treatment of malformed contents
     * @param healListeners whether to reconnect clients of the official Java SDK that listen to fewer configurations than they
     *     believe
     * @param cache contents and encoded answers in memory; 0 for a quarter of the largest heap
     */
    public record Config(
            @DefaultValue("10MB") DataSize maxContent,
            @DefaultValue("0B") DataSize cache,
            @DefaultValue("warn") ValidationMode validation,
            @DefaultValue("true") boolean healListeners,
            @DefaultValue ClientHistory clientHistory) {

        public Config {
            // Bodies are counted in int, and a form may spend three bytes on a byte of the content.
            inRange("config.max-content", maxContent, 1, GIBIBYTE / 2);
            inRange("config.cache", cache, 0, Long.MAX_VALUE);
        }

        /**
         * The events of clients and configurations on this node.
         *
         * @param keep the age after which they end
         * @param maxSize of their files; 0 stores no events
         */
        public record ClientHistory(
                @DefaultValue("7d") Duration keep,
                @DefaultValue("64MB") DataSize maxSize) {

            public ClientHistory {
                atLeast("config.client-history.keep", keep, Duration.ofMinutes(1));
                inRange("config.client-history.max-size", maxSize, 0, GIBIBYTE);
            }
        }
    }

    /**
     * @param recoveryWindow hold of instances from before a restart after the last return of a client
     * @param udpToAnyAddress whether UDP pushes may go to another address than the client's
     * @param labelsFile labels of addresses, for selectors; may be empty
     * @param labelsReloadInterval of checks of that file
     */
    public record Naming(
            @DefaultValue("15s") Duration recoveryWindow,
            @DefaultValue("false") boolean udpToAnyAddress,
            @DefaultValue("") String labelsFile,
            @DefaultValue("10s") Duration labelsReloadInterval) {

        public Naming {
            atLeast("naming.recovery-window", recoveryWindow, Duration.ofMillis(1));
            atLeast("naming.labels-reload-interval", labelsReloadInterval, Duration.ofMillis(100));
        }
    }

    /**
     * @param queueWrites waiting writes; more are refused
     * @param queueBytes waiting contents; more are refused; 0 for an eighth of the largest heap
     * @param batchWrites in one commit
     * @param batchBytes in one commit
     * @param readThreads read contents that are not in memory
     * @param readQueue waiting reads
     * @param answerWithin the limit after which a writer learns that the write failed, or may have
     */
    public record Store(
            @DefaultValue("10000") int queueWrites,
            @DefaultValue("0B") DataSize queueBytes,
            @DefaultValue("256") int batchWrites,
            @DefaultValue("16MB") DataSize batchBytes,
            @DefaultValue("2") int readThreads,
            @DefaultValue("10000") int readQueue,
            @DefaultValue("10s") Duration answerWithin) {

        public Store {
            inRange("store.queue-writes", queueWrites, 1, MANY);
            inRange("store.queue-bytes", queueBytes, 0, Long.MAX_VALUE);
            inRange("store.batch-writes", batchWrites, 1, MANY);
            inRange("store.batch-bytes", batchBytes, 1, Long.MAX_VALUE);
            inRange("store.read-threads", readThreads, 1, 1024);
            inRange("store.read-queue", readQueue, 1, MANY);
            atLeast("store.answer-within", answerWithin, Duration.ofMillis(100));
        }
    }

    /**
     * An external database.
     *
     * @param startTimeout of a start without a mirror
     * @param heartbeat interval of checks of the database and of other nodes' changes
     * @param compareInterval of full comparisons, which find changes of other programs
     */
    public record Database(
            @DefaultValue("60s") Duration startTimeout,
            @DefaultValue("1s") Duration heartbeat,
            @DefaultValue("30s") Duration compareInterval) {

        public Database {
            atLeast("database.start-timeout", startTimeout, Duration.ZERO);
            atLeast("database.heartbeat", heartbeat, Duration.ofMillis(10));
            atLeast("database.compare-interval", compareInterval, Duration.ofMillis(10));
        }
    }

    /**
     * @param ackTimeout after which an unacknowledged push failed
     * @param retryDelay before the first retry; the n-th waits n times as long
     * @param maxInFlight unacknowledged pushes of one connection in the last 0.2 s
     */
    public record Push(
            @DefaultValue("3s") Duration ackTimeout,
            @DefaultValue("2s") Duration retryDelay,
            @DefaultValue("256") int maxInFlight) {

        public Push {
            atLeast("push.ack-timeout", ackTimeout, Duration.ofMillis(1));
            atLeast("push.retry-delay", retryDelay, Duration.ofMillis(1));
            inRange("push.max-in-flight", maxInFlight, 1, MANY);
        }
    }

    /**
     * @param max connected clients
     * @param silence after which the server checks a client
     * @param detectionTimeout of that check
     */
    public record Connections(
            @DefaultValue("100000") int max,
            @DefaultValue("20s") Duration silence,
            @DefaultValue("5s") Duration detectionTimeout) {

        public Connections {
            inRange("connections.max", max, 1, MANY);
            atLeast("connections.silence", silence, Duration.ofMillis(1));
            atLeast("connections.detection-timeout", detectionTimeout, Duration.ofMillis(1));
        }
    }

    /**
     * @param permitKeepAlive shortest interval of a client's pings
     * @param keepAlive silence after which the server pings
     * @param keepAliveTimeout of that ping
     * @param maxCallsPerConnection concurrent calls
     * @param maxUnreadPerConnection unread large answers
     */
    public record Grpc(
            @DefaultValue("10s") Duration permitKeepAlive,
            @DefaultValue("5m") Duration keepAlive,
            @DefaultValue("20s") Duration keepAliveTimeout,
            @DefaultValue("2000") int maxCallsPerConnection,
            @DefaultValue("64MB") DataSize maxUnreadPerConnection) {

        public Grpc {
            atLeast("grpc.permit-keep-alive", permitKeepAlive, Duration.ZERO);
            atLeast("grpc.keep-alive", keepAlive, Duration.ofMillis(1));
            atLeast("grpc.keep-alive-timeout", keepAliveTimeout, Duration.ofMillis(1));
            inRange("grpc.max-calls-per-connection", maxCallsPerConnection, 1, MANY);
            inRange("grpc.max-unread-per-connection", maxUnreadPerConnection, 1, Long.MAX_VALUE);
        }
    }

    /**
     * @param idle time without a request after which a connection is closed
     * @param maxStreamsPerConnection concurrent requests of one HTTP/2 connection
     */
    public record Http(
            @DefaultValue("120s") Duration idle,
            @DefaultValue("256") int maxStreamsPerConnection) {

        public Http {
            atLeast("http.idle", idle, Duration.ofSeconds(1));
            inRange("http.max-streams-per-connection", maxStreamsPerConnection, 1, 100_000);
        }
    }

    /**
     * @param repeats logged warnings and errors of one kind in a period; 0 for all
     * @param period after which the number of the others is logged
     */
    public record Log(
            @DefaultValue("10") int repeats,
            @DefaultValue("10s") Duration period) {

        public Log {
            inRange("log.repeats", repeats, 0, MANY);
            atLeast("log.period", period, Duration.ofMillis(10));
        }
    }

    /** @param drain wait of a stop for clients to move; 0 closes connections at once */
    public record Shutdown(@DefaultValue("2s") Duration drain) {

        public Shutdown {
            atLeast("shutdown.drain", drain, Duration.ZERO);
        }
    }

    /**
     * Limits of one client.
     *
     * @param connections of both ports
     * @param connectionsPerAddress of one address
     * @param requestsPerSecond of one user, token or certificate, or of all unknown callers of one address
     * @param watchesPerConnection listened configurations and subscribed services
     * @param instancesPerClient registered over one connection
     * @param headBytes request line and headers of one HTTP request
     * @param headTime of a request's head, or of the opening of a connection
     * @param answerTime for each megabyte of a large HTTP answer
     * @param unreadAnswers large answers of all clients, from creation until they are read; 0 for a quarter of the largest heap
     */
    public record Limits(
            @DefaultValue("200000") int connections,
            @DefaultValue("50000") int connectionsPerAddress,
            @DefaultValue("1000000") int requestsPerSecond,
            @DefaultValue("50000") int watchesPerConnection,
            @DefaultValue("100000") int instancesPerClient,
            @DefaultValue("512KB") DataSize headBytes,
            @DefaultValue("15s") Duration headTime,
            @DefaultValue("4m") Duration answerTime,
            @DefaultValue("0B") DataSize unreadAnswers) {

        public Limits {
            inRange("limits.connections", connections, 1, MANY);
            inRange("limits.connections-per-address", connectionsPerAddress, 1, MANY);
            inRange("limits.requests-per-second", requestsPerSecond, 1, MANY);
            inRange("limits.watches-per-connection", watchesPerConnection, 1, MANY);
            inRange("limits.instances-per-client", instancesPerClient, 1, MANY);
            inRange("limits.head-bytes", headBytes, 8 * 1024, 8 * 1024 * 1024);
            atLeast("limits.head-time", headTime, Duration.ofSeconds(1));
            atLeast("limits.answer-time", answerTime, Duration.ofSeconds(1));
            inRange("limits.unread-answers", unreadAnswers, 0, Long.MAX_VALUE);
        }
    }

    static void inRange(String name, long value, long min, long max) {
        if (value < min || value > max) {
            throw bad(name, value, max == Long.MAX_VALUE ? "at least " + min : min + "-" + max);
        }
    }

    private static void inRange(String name, DataSize value, long min, long max) {
        if (value.toBytes() < min || value.toBytes() > max) {
            throw bad(name, value, max == Long.MAX_VALUE ? "at least " + min + "B" : min + "B-" + max + "B");
        }
    }

    static void atLeast(String name, Duration value, Duration min) {
        if (value.compareTo(min) < 0) {
            throw bad(name, value.toMillis() + "ms", "at least " + min.toMillis() + "ms");
        }
    }

    static CairnException bad(String name, Object value, String expected) {
        return new CairnException(
                ErrorCode.INVALID_PARAMETER, "cairn." + name + ": " + value + " (expected: " + expected + ")");
    }
}
