/** What happened, in order. */
@NullMarked
package io.cairn.server.change;

import org.jspecify.annotations.NullMarked;
