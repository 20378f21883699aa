/** Version 2 of the HTTP API. */
@NullMarked
package io.cairn.server.http.v2;

import org.jspecify.annotations.NullMarked;
