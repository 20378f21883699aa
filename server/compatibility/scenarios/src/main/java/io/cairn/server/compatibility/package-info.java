/** The use of a server through the official clients, as tests that run with every generation of the client. */
@NullMarked
package io.cairn.server.compatibility;

import org.jspecify.annotations.NullMarked;
