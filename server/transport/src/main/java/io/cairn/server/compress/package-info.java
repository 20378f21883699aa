/** Compression of large answers and pushes, once for all clients that get the same bytes. */
@NullMarked
package io.cairn.server.compress;

import org.jspecify.annotations.NullMarked;
