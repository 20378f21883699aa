/** The messages about configurations, and their translation to and from the domain. */
@NullMarked
package io.cairn.api.wire.config;

import org.jspecify.annotations.NullMarked;
