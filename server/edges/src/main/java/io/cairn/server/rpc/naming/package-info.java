/** A handler for each message about services and instances. */
@NullMarked
package io.cairn.server.rpc.naming;

import org.jspecify.annotations.NullMarked;
