package io.cairn.server.http;

import io.netty.channel.ChannelHandlerContext;

/**
 * How the client of an upload over HTTP/1.1 is told to go on: by whether anything is read.
 *
 * @param isContinueExpected whether it waits to be told that it may begin
 */
record Http1Upload(ChannelHandlerContext context, boolean isContinueExpected) implements Upload.Sender {

    @Override
    public void begin() {
        if (isContinueExpected) {
            context.writeAndFlush(Http1Encoder.goOn(), context.voidPromise());
        }
    }

    @Override
    public void goOn() {
        context.channel().config().setAutoRead(true);
    }

    @Override
    public void pause() {
        context.channel().config().setAutoRead(false);
    }

    @Override
    public void written(int bytes) {
        // Whether more is read says it all.
    }
}
