/** The streams of clients: their requests, the state of each type, and the limits on a client. */
@NullMarked
package io.cairn.server.xds.stream;

import org.jspecify.annotations.NullMarked;
