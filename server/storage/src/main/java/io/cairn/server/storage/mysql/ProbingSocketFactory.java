package io.cairn.server.storage.mysql;

import com.mysql.cj.conf.PropertySet;
import com.mysql.cj.protocol.StandardSocketFactory;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketOption;
import java.util.Map;
import jdk.net.ExtendedSocketOptions;

/**
 * Sockets for statements that may run for hours: the system probes the other machine after 10 s of silence, then every 5 s, and
 * ends the connection after three missing answers. The driver makes it by name.
 */
public final class ProbingSocketFactory extends StandardSocketFactory {

    private static final Map<SocketOption<Integer>, Integer> PROBES = Map.of(
            ExtendedSocketOptions.TCP_KEEPIDLE, 10,
            ExtendedSocketOptions.TCP_KEEPINTERVAL, 5,
            ExtendedSocketOptions.TCP_KEEPCOUNT, 3);

    @Override
    protected void configureSocket(Socket socket, PropertySet properties) throws IOException {
        super.configureSocket(socket, properties);
        socket.setKeepAlive(true);
        for (Map.Entry<SocketOption<Integer>, Integer> probe : PROBES.entrySet()) {
            // Without these options a system has one time for all sockets.
            if (socket.supportedOptions().contains(probe.getKey())) {
                socket.setOption(probe.getKey(), probe.getValue());
            }
        }
    }
}
