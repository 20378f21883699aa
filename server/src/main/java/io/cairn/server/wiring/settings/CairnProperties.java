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
 * Cairn's own settings, below {@code cairn.} in {@code conf/application.properties}. Keys that Nacos has are read under
 * the names users know by {@link NacosSettings}.
 *
 * @param dataDir folder of the embedded database and the lock, relative to the home folder; only one server may use it
 * @param ioThreads threads that serve all sockets; 0 for as many as processors
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
     * @param validation what becomes of contents that are not well-formed
     * @param healListeners whether a client of the official Java SDK that listens to fewer configurations than it believes is asked
     *     to connect anew
     * @param cache contents and encoded answers kept in memory; 0 for a quarter of the largest heap
     */
    public record Config(
            @DefaultValue("10MB") DataSize maxContent,
            @DefaultValue("0B") DataSize cache,
            @DefaultValue("warn") ValidationMode validation,
            @DefaultValue("true") boolean healListeners) {

        public Config {
            // Bodies are counted in int, and a form may spend three bytes on one of the content.
            inRange("config.max-content", maxContent, 1, GIBIBYTE / 2);
            inRange("config.cache", cache, 0, Long.MAX_VALUE);
        }
    }

    /**
     * @param recoveryWindow for which instances known before a restart are handed out without their clients being back
     * @param udpToAnyAddress whether a client may have datagrams sent to an address that is not the one its requests come from
     * @param labelsFile the labels of addresses, which selectors of services go by; empty for none
     * @param labelsReloadInterval at which it is looked whether that file has changed
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
     * @param queueWrites writes that may wait for the database; more are refused
     * @param queueBytes contents that may wait for the database; more are refused; 0 for an eighth of the largest heap
     * @param batchWrites writes that share one commit
     * @param batchBytes contents that share one commit
     * @param readThreads threads that read contents which are not in memory
     * @param readQueue reads that may wait for these threads
     * @param answerWithin after which whoever waits for a write is told that it failed, or may have
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
     * A database that is a server of its own.
     *
     * @param startTimeout for which the start waits for it, where there is no mirror to serve from
     * @param heartbeat how often it is asked whether it is there, and what other nodes have changed
     * @param compareInterval how often all rows are compared with what is shown, to find what others have changed
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
     * @param ackTimeout after which an unanswered push counts as failed
     * @param retryDelay before the first repetition; the n-th waits n times as long
     * @param maxInFlight unanswered pushes of one connection, of the last 0.2 s
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
     * @param max clients that may be connected at the same time
     * @param silence after which a client is asked whether it is still there
     * @param detectionTimeout within which it must answer
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
     * @param permitKeepAlive pings of a client may come as often as this
     * @param keepAlive after which the server pings a silent transport
     * @param keepAliveTimeout within which that ping must be answered
     * @param maxCallsPerConnection calls of one connection under way at the same time
     * @param maxUnreadPerConnection large answers that one connection may leave unread
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
     * @param idle after which a connection without a request under way is closed
     * @param maxStreamsPerConnection requests of one HTTP/2 connection under way at the same time
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
     * @param repeats warnings and errors of one kind that are said in a period; 0 for all
     * @param period after which the number of those that were not said is
     */
    public record Log(
            @DefaultValue("10") int repeats,
            @DefaultValue("10s") Duration period) {

        public Log {
            inRange("log.repeats", repeats, 0, MANY);
            atLeast("log.period", period, Duration.ofMillis(10));
        }
    }

    /** @param drain for which a server that stops waits for its clients to move to others; 0 closes their lines at once */
    public record Shutdown(@DefaultValue("2s") Duration drain) {

        public Shutdown {
            atLeast("shutdown.drain", drain, Duration.ZERO);
        }
    }

    /**
     * Limits of one client.
     *
     * @param connections that may be open over both ports
     * @param connectionsPerAddress of these from one address
     * @param requestsPerSecond of one user, token or certificate, or of all unknown callers of one address
     * @param watchesPerConnection configurations listened to and services subscribed to over one connection
     * @param instancesPerClient registered over one connection
     * @param headBytes of the request line and the headers of one HTTP request together
     * @param headTime from the first byte of a request's head, or of what opens a connection, to its last
     * @param answerTime in which a client has to read a megabyte of a large answer over HTTP
     * @param unreadAnswers large answers over HTTP that nobody has read yet; 0 for a quarter of the largest heap
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
