/** Registering and finding the instances of services. All types are thread-safe. */
@NullMarked
package io.cairn.client.naming;

import org.jspecify.annotations.NullMarked;
