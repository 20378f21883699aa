/** The wire format that the fuzzy watches of services and configurations share. */
@NullMarked
package io.cairn.api.wire.fuzzy;

import org.jspecify.annotations.NullMarked;
