package io.cairn.server.naming.health;

import io.netty.channel.ChannelFuture;
import java.util.concurrent.CompletableFuture;

/** Connects and hangs up. */
final class TcpProbe {

    private final ClientSockets sockets;

    TcpProbe(ClientSockets sockets) {
        this.sockets = sockets;
    }

    CompletableFuture<ProbeResult> check(Target target) {
        CompletableFuture<ProbeResult> result = new CompletableFuture<>();
        sockets.connect(target, channel -> {}).addListener((ChannelFuture connected) -> {
            if (connected.isSuccess()) {
                connected.channel().close();
                result.complete(ProbeResult.passed("connected"));
            } else {
                result.complete(ClientSockets.notConnected(connected.cause()));
            }
        });
        return result;
    }
}
