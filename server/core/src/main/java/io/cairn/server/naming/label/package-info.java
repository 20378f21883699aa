/** Labels of addresses, and selectors by which consumers are told of those instances only that have the same ones. */
@NullMarked
package io.cairn.server.naming.label;

import org.jspecify.annotations.NullMarked;
