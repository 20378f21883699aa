/** Handlers of the messages that set up, check and move a connection. */
@NullMarked
package io.cairn.server.rpc.connection;

import org.jspecify.annotations.NullMarked;
