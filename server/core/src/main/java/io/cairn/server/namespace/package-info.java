/** Namespaces. */
@NullMarked
package io.cairn.server.namespace;

import org.jspecify.annotations.NullMarked;
