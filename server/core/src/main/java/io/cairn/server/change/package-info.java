/** The feed of changes, in the order of their revisions. */
@NullMarked
package io.cairn.server.change;

import org.jspecify.annotations.NullMarked;
