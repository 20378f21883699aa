package io.cairn.server.compatibility;

import java.util.logging.Level;
import java.util.logging.Logger;

/** The clients' gRPC, which logs every stream cut off by a shutdown. */
final class ShadedGrpc {
    private static final Logger LOGGER = Logger.getLogger("com.alibaba.nacos.shaded.io.grpc");

    private ShadedGrpc() {}

    /** Limits it to severe messages. */
    static void quieten() {
        LOGGER.setLevel(Level.WARNING);
    }
}
