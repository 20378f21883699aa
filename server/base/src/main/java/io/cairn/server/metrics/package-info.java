/** The name of every meter. */
@NullMarked
package io.cairn.server.metrics;

import org.jspecify.annotations.NullMarked;
