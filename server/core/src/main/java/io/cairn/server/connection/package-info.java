/** The connected clients: their registry, identity and watches. */
@NullMarked
package io.cairn.server.connection;

import org.jspecify.annotations.NullMarked;
