/** The HTTP server on Netty, independent of endpoints and users. */
@NullMarked
package io.cairn.server.http;

import org.jspecify.annotations.NullMarked;
