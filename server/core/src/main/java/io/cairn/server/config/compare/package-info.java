/** How one version of a configuration differs from another. */
@NullMarked
package io.cairn.server.config.compare;

import org.jspecify.annotations.NullMarked;
