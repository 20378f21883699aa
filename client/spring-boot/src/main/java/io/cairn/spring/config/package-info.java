/** {@code spring.config.import=cairn:...}: configurations as property sources that follow their changes. */
@NullMarked
package io.cairn.spring.config;

import org.jspecify.annotations.NullMarked;
