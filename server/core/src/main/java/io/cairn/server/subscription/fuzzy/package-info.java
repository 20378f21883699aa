/** Watches of patterns: who is told which names match, and which come and go. Services and configurations share it. */
@NullMarked
package io.cairn.server.subscription.fuzzy;

import org.jspecify.annotations.NullMarked;
