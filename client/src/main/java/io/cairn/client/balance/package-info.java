/** Choosing one of many instances. */
@NullMarked
package io.cairn.client.balance;

import org.jspecify.annotations.NullMarked;
