/** Version 3 of the HTTP API: one for clients, one for administration, one for consoles. */
@NullMarked
package io.cairn.server.http.v3;

import org.jspecify.annotations.NullMarked;
