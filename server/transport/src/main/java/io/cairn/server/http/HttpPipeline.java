package io.cairn.server.http;

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

/** Sets up the handlers of each connection of the HTTP port, by its protocol. */
final class HttpPipeline extends ChannelInitializer<Channel> {

    /** The event that ends a connection after its last request. */
    static final Object FINISH = new Object();

    static final String TOO_MANY_LARGE = "Too many large requests are under way; try again shortly";

    private final HttpServer.Settings settings;
    private final RequestHandler handler;
    private final HttpMemory memory;
    private final ResponseCompression compression;
    private final Consumer<Channel> encryption;
    private final ChannelGroup channels;

    HttpPipeline(
            RequestHandler handler,
            HttpMemory memory,
            HttpServer.Settings settings,
            SharedCompression compression,
            Consumer<Channel> encryption,
            ChannelGroup channels) {
        this.settings = settings;
        this.handler = handler;
        this.memory = memory;
        this.compression = new ResponseCompression(compression);
        this.encryption = encryption;
        this.channels = channels;
    }

    /** Empty without an address. */
    static String remoteIp(Channel channel) {
        return channel.remoteAddress() instanceof InetSocketAddress inet
                ? inet.getAddress().getHostAddress()
                : "";
    }

    /** Ends the output; the client may still send. */
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
                // A slow reader is not idle.
                .addLast(new IdleStateHandler(true, 0, 0, settings.idleSeconds(), TimeUnit.SECONDS))
                .addLast(new HttpProtocolDetector(this, settings.limits().headSeconds()));
    }

    void http1(ChannelPipeline pipeline) {
        RequestDecoder requests = new RequestDecoder(new HttpDecoderConfig()
                .setMaxInitialLineLength(memory.maxHeadBytes())
                .setMaxHeaderSize(memory.maxHeadBytes())
                .setMaxChunkSize(64 * 1024));
        pipeline.addLast(requests).addLast(new Http1Wire(handler, memory, compression, requests));
    }

    void http2(ChannelPipeline pipeline) {
        pipeline.addLast(Http2Channel.create(handler, settings.maxStreams(), memory, compression));
    }
}
