/** Compression of large responses and pushes, once for all clients. */
@NullMarked
package io.cairn.server.compress;

import org.jspecify.annotations.NullMarked;
