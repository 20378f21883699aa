/**
 * Fuzzy watches: patterns, their matching names, and pushes of names that are added and removed. Services and
 * configurations share this code.
 */
@NullMarked
package io.cairn.server.subscription.fuzzy;

import org.jspecify.annotations.NullMarked;
