/** Instances without a connection: HTTP clients that send heartbeats, and instances remembered over a restart. */
@NullMarked
package io.cairn.server.naming.lease;

import org.jspecify.annotations.NullMarked;
