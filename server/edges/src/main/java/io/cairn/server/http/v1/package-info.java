/** Version 1 of the Nacos HTTP API, quirks included. */
@NullMarked
package io.cairn.server.http.v1;

import org.jspecify.annotations.NullMarked;
