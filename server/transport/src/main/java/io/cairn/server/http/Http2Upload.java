package io.cairn.server.http;

/** Controls an upload over HTTP/2 by the window of its stream, which grows with the bytes written to the disk. */
record Http2Upload(Http2Wire wire, Http2Exchange exchange) implements Upload.Sender {

    @Override
    public void begin() {
        if (exchange.isContinueExpected() && !exchange.isOver) {
            wire.sendContinue(exchange);
            wire.flush();
        }
    }

    @Override
    public void resume() {
        // The window limits the client.
    }

    @Override
    public void pause() {
        // The window limits the client.
    }

    @Override
    public void written(int bytes) {
        if (!exchange.isOver) {
            wire.consumed(exchange, bytes);
        }
    }
}
