package io.cairn.server.cluster;

import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * A network interface of this machine that is up.
 *
 * @param name such as {@code eth0}
 * @param index its place in the order in which the system lists interfaces
 */
public record MachineInterface(String name, int index, List<InetAddress> addresses) {

    public MachineInterface {
        addresses = List.copyOf(addresses);
    }

    /** @throws SocketException if the system does not list them */
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
