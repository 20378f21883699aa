/** The HTTP server on Netty: how requests are read, handed to their handler and answered. Knows no endpoint and no user. */
@NullMarked
package io.cairn.server.http;

import org.jspecify.annotations.NullMarked;
