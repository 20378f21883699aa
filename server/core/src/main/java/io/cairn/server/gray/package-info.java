/** Conditions and shares that select the clients of a gray release. */
@NullMarked
package io.cairn.server.gray;

import org.jspecify.annotations.NullMarked;
