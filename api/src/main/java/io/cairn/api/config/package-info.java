/** The values that identify a configuration and one version of its content. */
@NullMarked
package io.cairn.api.config;

import org.jspecify.annotations.NullMarked;
