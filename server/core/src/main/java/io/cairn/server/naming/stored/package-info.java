/** The stored part: persistent instances, settings and overrides, the checks of health, and the memory of a restart. */
@NullMarked
package io.cairn.server.naming.stored;

import org.jspecify.annotations.NullMarked;
