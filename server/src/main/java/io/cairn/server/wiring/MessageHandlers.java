package io.cairn.server.wiring;

import io.cairn.server.rpc.MessageHandler;
import java.util.List;

/** The handlers of the gRPC messages of one part; the router collects those of all parts. */
record MessageHandlers(List<MessageHandler<?>> handlers) {}
