package io.cairn.server.compatibility;

import java.util.logging.Level;
import java.util.logging.Logger;

/** The gRPC inside the clients, which would tell standard error of every stream that a shutdown cuts off. */
final class ShadedGrpc {
    private static final Logger LOGGER = Logger.getLogger("com.alibaba.nacos.shaded.io.grpc");

    private ShadedGrpc() {}

    /** From now on it speaks of trouble only. */
    static void quieten() {
        LOGGER.setLevel(Level.WARNING);
    }
}
