package io.cairn.server.wiring;

import io.cairn.server.rpc.MessageHandler;
import java.util.List;

/** The handlers of all messages about services and instances. */
record NamingHandlers(List<MessageHandler<?>> handlers) {}
