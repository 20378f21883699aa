/** The messages about services and instances. */
@NullMarked
package io.cairn.api.wire.naming;

import org.jspecify.annotations.NullMarked;
