package io.cairn.server.compatibility;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Lists a service of one side of a migration. */
record ListedPorts(MigrationServer server, String service, List<Integer> ports) implements CallingConsumer {

    @Override
    public void call() {}

    @Override
    public Set<Integer> listed() {
        Set<Integer> listed = new HashSet<>();
        try {
            for (int port : ports) {
                if (server.shows(service, port)) {
                    listed.add(port);
                }
            }
        } catch (Exception e) {
            throw new IllegalStateException("The list was refused", e);
        }
        return listed;
    }
}
