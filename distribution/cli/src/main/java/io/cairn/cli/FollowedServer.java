package io.cairn.cli;

import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The lasting link of a bridge with a server, opened when the server first answers. For one thread at a time. */
final class FollowedServer implements AutoCloseable {

    private final BridgeServer server;
    private final Supplier<BridgeLink> links;
    private final Consumer<String> notices;
    private @Nullable BridgeLink link;
    private @Nullable BridgeServices services;

    FollowedServer(BridgeServer server, Supplier<BridgeLink> links, Consumer<String> notices) {
        this.server = server;
        this.links = links;
        this.notices = notices;
    }

    /** @throws io.cairn.cli.migrate.SideException while the server does not answer */
    BridgeServices services() {
        BridgeServices present = services;
        if (present == null) {
            BridgeLink opened = link == null ? links.get() : link;
            link = opened;
            present = BridgeServices.following(server, opened, notices);
            services = present;
        }
        return present;
    }

    @Override
    public void close() {
        if (services != null) {
            services.close();
        }
        if (link != null) {
            link.close();
        }
    }
}
