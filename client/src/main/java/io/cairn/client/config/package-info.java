/** Reading, writing and watching configurations. All types are thread-safe. */
@NullMarked
package io.cairn.client.config;

import org.jspecify.annotations.NullMarked;
