package io.cairn.server.tls;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.api.error.CairnException;
import io.cairn.server.limit.Limit;
import io.cairn.server.tls.TlsSettings.ClientIdentity;
import io.cairn.server.tls.TlsSettings.PlainText;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeTimeoutException;
import io.netty.util.AttributeKey;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * TLS for both ports, with one set of files. Changed files are loaded periodically and used for new connections; invalid
 * files change nothing. Thread-safe.
 */
public final class ServerTls {

    private static final String RENEGOTIATION = "jdk.tls.rejectClientInitiatedRenegotiation";
    private static final AttributeKey<CertifiedUser> USER = AttributeKey.valueOf("cairn-certified-user");
    private static final long COMPLAINT_PAUSE_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final Logger log = LoggerFactory.getLogger(ServerTls.class);

    static {
        // Under TLS 1.2 a client could repeat full handshakes on an open connection, beyond any limit.
        if (System.getProperty(RENEGOTIATION) == null) {
            System.setProperty(RENEGOTIATION, "true");
        }
    }

    private final TlsSettings settings;
    private final List<String> httpProtocols;
    private final ClientCertificates clients;
    private final Clock clock;
    private final Limit handshakeSeconds;
    private final AtomicLong failures = new AtomicLong();
    private final AtomicLong nextComplaint = new AtomicLong(System.nanoTime());
    /** Replaced with this object's lock held, read without it. */
    private volatile Loaded loaded;

    @GuardedBy("this")
    private @Nullable TlsFiles refused;

    @GuardedBy("this")
    private @Nullable String complaint;

    private record Loaded(TlsFiles files, TlsFiles.Contexts contexts) {}

    public enum Port {
        RPC,
        HTTP
    }

    /**
     * @param httpProtocols for ALPN on the HTTP port, the preferred protocol first
     * @param handshakeSeconds the limit for a handshake
     * @throws CairnException {@code INVALID_PARAMETER} with the invalid file and the remedy
     */
    public ServerTls(TlsSettings settings, List<String> httpProtocols, Limit handshakeSeconds, Clock clock) {
        this.settings = settings;
        this.httpProtocols = List.copyOf(httpProtocols);
        this.clients = new ClientCertificates(settings.clientNames());
        this.handshakeSeconds = handshakeSeconds;
        this.clock = clock;
        TlsFiles files = TlsFiles.read(settings);
        loaded = new Loaded(files, files.contexts(settings, this.httpProtocols));
        if (!isValidNow(certificate())) {
            log.warn("{} {}, so clients will refuse it", settings.certificate(), validity(certificate()));
        }
    }

    /** The server's certificate in use. */
    public X509Certificate certificate() {
        return loaded.contexts.chain().get(0);
    }

    /** Whether the port rejects all clients without TLS. */
    public boolean isDemanded(Port port) {
        return (port == Port.RPC ? settings.plainRpc() : settings.plainHttp()) == TlsSettings.PlainText.REFUSED;
    }

    /** The number of failed handshakes since the start. */
    public long failures() {
        return failures.get();
    }

    /**
     * Loads changed files. Blocks on files.
     *
     * @return whether new files are in use
     */
    public synchronized boolean reload() {
        TlsFiles files;
        try {
            files = TlsFiles.read(settings);
        } catch (CairnException e) {
            warnOnce(e.text());
            return false;
        }
        if (files.isSame(loaded.files)) {
            refused = null;
            complaint = null;
            return false;
        }
        if (refused != null && files.isSame(refused)) {
            return false;
        }
        try {
            TlsFiles.Contexts contexts = files.contexts(settings, httpProtocols);
            X509Certificate next = contexts.chain().get(0);
            if (!isValidNow(next) && isValidNow(certificate())) {
                // Checked again later: the certificate may become valid, and the present one may expire.
                warnOnce(PemReader.bad(settings.certificate(), validity(next), null)
                        .text());
                return false;
            }
            loaded = new Loaded(files, contexts);
            refused = null;
            complaint = null;
            log.info(
                    "New certificate in use: {}, good until {}",
                    next.getSubjectX500Principal().getName(),
                    next.getNotAfter().toInstant());
            return true;
        } catch (CairnException e) {
            refused = files;
            warnOnce(e.text());
            return false;
        }
    }

    /** Logs each problem once. */
    @GuardedBy("this")
    private void warnOnce(String text) {
        if (!text.equals(complaint)) {
            complaint = text;
            log.warn("The certificate from before stays in use: {}", text);
        }
    }

    private boolean isValidNow(X509Certificate certificate) {
        Instant now = clock.instant();
        return !now.isBefore(certificate.getNotBefore().toInstant())
                && !now.isAfter(certificate.getNotAfter().toInstant());
    }

    private static String validity(X509Certificate certificate) {
        return "is good from " + certificate.getNotBefore().toInstant() + " to "
                + certificate.getNotAfter().toInstant() + " only";
    }

    /** Adds a handler that detects TLS by the first byte, before all other handlers. */
    public void prepare(Channel channel, Port port) {
        channel.pipeline().addFirst(new TlsDetector(this, port));
    }

    /** The user of the client certificate; null when absent. Call on the event loop of the connection. */
    public static @Nullable CertifiedUser userOf(Channel channel) {
        return channel.attr(USER).get();
    }

    SslHandler newHandler(Channel channel, Port port) {
        TlsFiles.Contexts contexts = loaded.contexts;
        SslContext context = port == Port.RPC ? contexts.rpc() : contexts.http();
        SslHandler handler = context.newHandler(channel.alloc());
        handler.setHandshakeTimeout(handshakeSeconds.max(), TimeUnit.SECONDS);
        handler.handshakeFuture().addListener(done -> {
            if (!done.isSuccess()) {
                failed(channel, done.cause());
            } else if (settings.clientNames().identity() != ClientIdentity.NONE) {
                identify(channel, handler);
            }
        });
        return handler;
    }

    private void identify(Channel channel, SslHandler handler) {
        try {
            Certificate[] shown = handler.engine().getSession().getPeerCertificates();
            if (shown.length > 0 && shown[0] instanceof X509Certificate certificate) {
                channel.attr(USER).set(clients.userOf(certificate));
            }
        } catch (SSLPeerUnverifiedException e) {
            log.debug("{} has shown no certificate", channel.remoteAddress());
        }
    }

    private void failed(Channel channel, Throwable cause) {
        if (cause instanceof SslHandshakeTimeoutException) {
            handshakeSeconds.allows(handshakeSeconds.max() + 1);
        }
        long count = failures.incrementAndGet();
        long now = System.nanoTime();
        long due = nextComplaint.get();
        // Logs at most once a minute.
        if (now - due >= 0 && nextComplaint.compareAndSet(due, now + COMPLAINT_PAUSE_NANOS)) {
            log.warn(
                    "TLS with {} did not come about ({} times since the start): {}",
                    channel.remoteAddress(),
                    count,
                    cause.getMessage() == null ? "the connection ended meanwhile" : cause.getMessage());
        } else {
            log.debug("TLS with {} did not come about", channel.remoteAddress(), cause);
        }
    }

    boolean mayBePlain(Channel channel, Port port) {
        PlainText allowed = port == Port.RPC ? settings.plainRpc() : settings.plainHttp();
        return switch (allowed) {
            case ACCEPTED -> true;
            case LOCAL ->
                !(channel.remoteAddress() instanceof InetSocketAddress inet)
                        || inet.getAddress().isLoopbackAddress();
            case REFUSED -> false;
        };
    }

    /** Responds to HTTP clients; closes connections of gRPC clients. */
    void refusePlain(ChannelHandlerContext context, Port port) {
        failures.incrementAndGet();
        if (port == Port.RPC) {
            context.close();
            return;
        }
        byte[] text = "This port speaks HTTPS; plain HTTP is refused (cairn.tls.plain-text)\n"
                .getBytes(StandardCharsets.UTF_8);
        byte[] head = ("HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain;charset=utf-8\r\nContent-Length: "
                        + text.length + "\r\nConnection: close\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII);
        context.writeAndFlush(Unpooled.wrappedBuffer(head, text)).addListener(ChannelFutureListener.CLOSE);
    }
}
