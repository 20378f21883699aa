/** {@code spring.config.import=cairn:...}: configurations as property sources that are kept up to date. */
@NullMarked
package io.cairn.spring.config;

import org.jspecify.annotations.NullMarked;
