/** Reading, writing and watching configurations. */
@NullMarked
package io.cairn.client.config;

import org.jspecify.annotations.NullMarked;
