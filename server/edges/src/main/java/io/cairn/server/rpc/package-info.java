/** The gRPC edge: transports, the routing of messages to handlers, and the streams that carry pushes. */
@NullMarked
package io.cairn.server.rpc;

import org.jspecify.annotations.NullMarked;
