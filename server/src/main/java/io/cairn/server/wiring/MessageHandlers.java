package io.cairn.server.wiring;

import io.cairn.server.rpc.MessageHandler;
import java.util.List;

/** The handlers of one part's gRPC messages; the router collects all handlers. */
record MessageHandlers(List<MessageHandler<?>> handlers) {}
