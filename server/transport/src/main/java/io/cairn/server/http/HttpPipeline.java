package io.cairn.server.http;

import io.cairn.server.admission.MemoryBudget;
import io.cairn.server.compress.SharedCompression;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.timeout.IdleStateHandler;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Sets up each connection of the HTTP port: which protocol it speaks, and by which handlers. */
final class HttpPipeline extends ChannelInitializer<Channel> {

    /** The event by which a connection is asked to end as soon as no request is under way. */
    static final Object FINISH = new Object();

    static final String TOO_MANY_LARGE = "Too many large requests are under way; try again shortly";

    private final HttpServer.Settings settings;
    private final RequestHandler handler;
    private final HttpMemory memory;
    private final ResponseCompression compression;
    private final Consumer<Channel> encryption;
    private final ChannelGroup channels;

    /**
     * @param budget of the bodies of requests
     * @param compression of large answers, for clients that take it
     * @param encryption what is done to each connection before anything is read
     * @param channels takes each connection
     */
    HttpPipeline(
            HttpServer.Settings settings,
            RequestHandler handler,
            MemoryBudget budget,
            SharedCompression compression,
            Consumer<Channel> encryption,
            ChannelGroup channels) {
        this.settings = settings;
        this.handler = handler;
        this.memory = HttpMemory.of(settings, budget);
        this.compression = new ResponseCompression(compression);
        this.encryption = encryption;
        this.channels = channels;
    }

    /** The address that a connection comes from; empty when it has none. */
    static String remoteIp(Channel channel) {
        return channel.remoteAddress() instanceof InetSocketAddress inet
                ? inet.getAddress().getHostAddress()
                : "";
    }

    /** Tells the client that nothing more is sent; it may still send. */
    static void endOutput(Channel channel) {
        SslHandler encrypted = channel.pipeline().get(SslHandler.class);
        if (encrypted != null) {
            encrypted.closeOutbound();
        } else if (channel instanceof DuplexChannel plain) {
            plain.shutdownOutput();
        }
    }

    @Override
    protected void initChannel(Channel channel) {
        channels.add(channel);
        encryption.accept(channel);
        channel.pipeline()
                // A client that reads slowly is not idle as long as it reads at all.
                .addLast(new IdleStateHandler(true, 0, 0, settings.idleSeconds(), TimeUnit.SECONDS))
                .addLast(new HttpProtocolDetector(this, settings.limits().headSeconds()));
    }

    /** Serves the connection with HTTP/1.1 from here on. */
    void http1(ChannelPipeline pipeline) {
        RequestDecoder requests = new RequestDecoder(new HttpDecoderConfig()
                .setMaxInitialLineLength(memory.maxHeadBytes())
                .setMaxHeaderSize(memory.maxHeadBytes())
                .setMaxChunkSize(64 * 1024));
        pipeline.addLast(requests).addLast(new Http1Wire(handler, memory, compression, requests));
    }

    /** Serves the connection with HTTP/2 from here on. */
    void http2(ChannelPipeline pipeline) {
        pipeline.addLast(Http2Channel.create(handler, settings.maxStreams(), memory, compression));
    }
}
