/** The message that starts, repeats and ends watches by patterns, of services and of configurations. */
@NullMarked
package io.cairn.server.rpc.fuzzy;

import org.jspecify.annotations.NullMarked;
