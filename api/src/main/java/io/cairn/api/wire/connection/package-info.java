/** The messages that set up, check, move and acknowledge a connection. */
@NullMarked
package io.cairn.api.wire.connection;

import org.jspecify.annotations.NullMarked;
