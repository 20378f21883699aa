/** Assembles the server with Spring: the one package that knows all others. */
@NullMarked
package io.cairn.server.wiring;

import org.jspecify.annotations.NullMarked;
