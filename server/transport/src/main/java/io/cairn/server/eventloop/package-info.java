/** The event loops of all sockets of the server. */
@NullMarked
package io.cairn.server.eventloop;

import org.jspecify.annotations.NullMarked;
