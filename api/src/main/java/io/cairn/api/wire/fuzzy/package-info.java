/** What the fuzzy watches of services and configurations have in common on the wire. */
@NullMarked
package io.cairn.api.wire.fuzzy;

import org.jspecify.annotations.NullMarked;
