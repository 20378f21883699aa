/** Clients that use a cluster while its nodes and its database fail. Needs the server's class path and an official client. */
@NullMarked
package io.cairn.server.nodes.load;

import org.jspecify.annotations.NullMarked;
