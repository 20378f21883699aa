package io.cairn.server.http;

/** How the client of an upload over HTTP/2 goes on: by the window of its stream, which the bytes on the disk open. */
record Http2Upload(Http2Wire wire, Http2Exchange exchange) implements Upload.Sender {

    @Override
    public void begin() {
        if (exchange.isContinueExpected() && !exchange.isOver) {
            wire.sendContinue(exchange);
            wire.flush();
        }
    }

    @Override
    public void goOn() {
        // The window says how much.
    }

    @Override
    public void pause() {
        // As above.
    }

    @Override
    public void written(int bytes) {
        if (!exchange.isOver) {
            wire.consumed(exchange, bytes);
        }
    }
}
