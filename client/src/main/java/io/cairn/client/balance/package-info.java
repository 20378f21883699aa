/** Load balancing between the instances of a service. All types are thread-safe. */
@NullMarked
package io.cairn.client.balance;

import org.jspecify.annotations.NullMarked;
