/** The messages by which a connection is set up, checked, moved and acknowledged. */
@NullMarked
package io.cairn.api.wire.connection;

import org.jspecify.annotations.NullMarked;
