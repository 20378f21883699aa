/** How failures are named on both sides of the wire. */
@NullMarked
package io.cairn.api.error;

import org.jspecify.annotations.NullMarked;
