/** A node's copy of the shared database, for reads while that is away. */
@NullMarked
package io.cairn.server.storage.mirror;

import org.jspecify.annotations.NullMarked;
