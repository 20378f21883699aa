/** When something is due: the one timer of the server. */
@NullMarked
package io.cairn.server.timer;

import org.jspecify.annotations.NullMarked;
