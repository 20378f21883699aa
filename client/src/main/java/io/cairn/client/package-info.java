/**
 * The Java client: {@link io.cairn.client.CairnClient} is the way in. What a user needs is here and in {@code config},
 * {@code naming} and {@code balance}; {@code connection} and {@code auth} are its engine and may change at any time.
 */
@NullMarked
package io.cairn.client;

import org.jspecify.annotations.NullMarked;
