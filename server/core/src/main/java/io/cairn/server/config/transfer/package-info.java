/** Configurations in bulk: out to an archive, in from one, and from one namespace to another. */
@NullMarked
package io.cairn.server.config.transfer;

import org.jspecify.annotations.NullMarked;
