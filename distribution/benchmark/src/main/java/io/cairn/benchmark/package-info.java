/** A load generator that speaks the Nacos wire: the subcommands, and what measures and reports them. */
@NullMarked
package io.cairn.benchmark;

import org.jspecify.annotations.NullMarked;
