/** The HTTP edge: the server on Netty, its router, and how requests are read and answers written. */
@NullMarked
package io.cairn.server.http;

import org.jspecify.annotations.NullMarked;
