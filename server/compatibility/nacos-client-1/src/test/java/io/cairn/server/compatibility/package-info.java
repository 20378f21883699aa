/** The scenarios, put to generation 1 of the official client. */
@NullMarked
package io.cairn.server.compatibility;

import org.jspecify.annotations.NullMarked;
