package io.cairn.server.http;

import io.netty.channel.ChannelHandlerContext;

/**
 * Controls an upload over HTTP/1.1 by pausing reads.
 *
 * @param isContinueExpected whether the client waits for 100 Continue
 */
record Http1Upload(ChannelHandlerContext context, boolean isContinueExpected) implements Upload.Sender {

    @Override
    public void begin() {
        if (isContinueExpected) {
            context.writeAndFlush(Http1Encoder.continueResponse(), context.voidPromise());
        }
    }

    @Override
    public void resume() {
        context.channel().config().setAutoRead(true);
    }

    @Override
    public void pause() {
        context.channel().config().setAutoRead(false);
    }

    @Override
    public void written(int bytes) {
        // Pausing reads is sufficient.
    }
}
