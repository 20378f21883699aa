/** The web console, as files that the server serves. */
@NullMarked
package io.cairn.console;

import org.jspecify.annotations.NullMarked;
