/** Limits how often the same line is logged. Depends on no other package. */
@NullMarked
package io.cairn.server.logging;

import org.jspecify.annotations.NullMarked;
