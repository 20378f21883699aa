package io.cairn.server.cluster;

import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * A network interface that is up.
 *
 * @param name such as {@code eth0}
 * @param index in the order of the system
 */
public record MachineInterface(String name, int index, List<InetAddress> addresses) {

    public MachineInterface {
        addresses = List.copyOf(addresses);
    }

    static List<MachineInterface> ofThisMachine() throws SocketException {
        List<MachineInterface> up = new ArrayList<>();
        for (NetworkInterface each : Collections.list(NetworkInterface.getNetworkInterfaces())) {
            if (each.isUp()) {
                up.add(new MachineInterface(
                        each.getName(), each.getIndex(), Collections.list(each.getInetAddresses())));
            }
        }
        return up;
    }
}
