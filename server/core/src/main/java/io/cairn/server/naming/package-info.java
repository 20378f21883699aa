/** The instances of services, their publishers, and their leases. */
@NullMarked
package io.cairn.server.naming;

import org.jspecify.annotations.NullMarked;
