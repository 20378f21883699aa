/**
 * The Java client; {@link io.cairn.client.CairnClient} is its entry point. The public API is this package, {@code config},
 * {@code naming}, {@code balance} and {@code connection}; {@code internal} may change at any time. All types of the API are
 * thread-safe, except {@link io.cairn.client.ClientBuilder}, and all its records are immutable.
 */
@NullMarked
package io.cairn.client;

import org.jspecify.annotations.NullMarked;
