/** The limits of what one client may use: each with its name, its setting, its use, and how often it was reached. */
@NullMarked
package io.cairn.server.limit;

import org.jspecify.annotations.NullMarked;
