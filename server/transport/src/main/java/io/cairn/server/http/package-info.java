/**
 * The HTTP server on Netty, independent of endpoints and users. The objects of a connection are used on its event loop, unless their
 * comment says otherwise.
 */
@NullMarked
package io.cairn.server.http;

import org.jspecify.annotations.NullMarked;
