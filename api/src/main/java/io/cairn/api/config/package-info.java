/** The values that identify a configuration and a version of its content. All types are immutable and thread-safe. */
@NullMarked
package io.cairn.api.config;

import org.jspecify.annotations.NullMarked;
