/** The one connection of a client: found, set up, watched over, replaced. Not for users. */
@NullMarked
package io.cairn.client.connection;

import org.jspecify.annotations.NullMarked;
