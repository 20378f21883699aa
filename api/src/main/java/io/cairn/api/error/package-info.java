/** The failures that client and server share. */
@NullMarked
package io.cairn.api.error;

import org.jspecify.annotations.NullMarked;
