/** Where servers are, and why one of them cannot be connected to. */
@NullMarked
package io.cairn.client.connection;

import org.jspecify.annotations.NullMarked;
