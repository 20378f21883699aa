/** The bridge between two servers: pure decisions, and the passes that carry them out. It knows no HTTP. */
@NullMarked
package io.cairn.cli.migrate;

import org.jspecify.annotations.NullMarked;
