/** Starts and stops the parts of the server in their order, and says how far it is. */
@NullMarked
package io.cairn.server.wiring.lifecycle;

import org.jspecify.annotations.NullMarked;
