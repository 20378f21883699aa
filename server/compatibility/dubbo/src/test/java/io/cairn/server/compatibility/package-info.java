/** Providers and consumers on Dubbo, with nothing in them that knows of Cairn. */
@NullMarked
package io.cairn.server.compatibility;

import org.jspecify.annotations.NullMarked;
