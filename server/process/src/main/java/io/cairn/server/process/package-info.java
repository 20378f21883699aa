/** Starts the packed server as a process of its own, for tests whose class path it must not share. */
@NullMarked
package io.cairn.server.process;

import org.jspecify.annotations.NullMarked;
