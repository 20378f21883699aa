/** The scenarios, put to generation 3 of the official client. */
@NullMarked
package io.cairn.server.compatibility;

import org.jspecify.annotations.NullMarked;
