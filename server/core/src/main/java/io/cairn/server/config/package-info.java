/** Configurations: publish, read, and the view in memory that every read is answered from. */
@NullMarked
package io.cairn.server.config;

import org.jspecify.annotations.NullMarked;
