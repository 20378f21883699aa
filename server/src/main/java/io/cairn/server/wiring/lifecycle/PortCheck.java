package io.cairn.server.wiring.lifecycle;

import io.cairn.api.error.CairnException;
import io.cairn.server.cluster.GroupChannel;
import io.cairn.server.http.HttpServer;
import io.cairn.server.rpc.GrpcServer;
import io.cairn.server.wiring.settings.ClusterMode;
import io.cairn.server.wiring.settings.NacosSettings;
import io.cairn.server.wiring.settings.NodeAddresses;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.function.BiFunction;
import org.springframework.core.env.Environment;

/**
 * Binds the ports briefly before the load, so that a start with a taken port ends at once. The end of the start binds them for
 * good.
 */
public final class PortCheck {

    private PortCheck() {}

    /** @throws CairnException {@code UNAVAILABLE} with the port that cannot be bound; port 0 always can */
    public static void requireFree(Environment environment) {
        NacosSettings settings = NacosSettings.read(environment);
        int port = settings.address().getPort();
        if (port != 0) {
            bind(settings.address(), HttpServer::unbindable);
            bind(settings.grpcAddress(port), GrpcServer::unbindable);
        }
        if (ClusterMode.isOn(environment)) {
            bind(NodeAddresses.groupAddress(environment), GroupChannel::unbindable);
        }
    }

    private static void bind(
            InetSocketAddress address, BiFunction<InetSocketAddress, Throwable, CairnException> failure) {
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(address);
        } catch (IOException e) {
            throw failure.apply(address, e);
        }
    }
}
