/** Registering and finding the instances of services. */
@NullMarked
package io.cairn.client.naming;

import org.jspecify.annotations.NullMarked;
