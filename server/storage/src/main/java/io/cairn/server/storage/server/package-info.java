/** A database that is a server of its own, whatever its product: addresses, pools, the choice of the writable one. */
@NullMarked
package io.cairn.server.storage.server;

import org.jspecify.annotations.NullMarked;
