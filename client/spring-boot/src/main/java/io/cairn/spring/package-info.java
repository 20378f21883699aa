/** Auto-configuration of Cairn for Spring Boot, and its settings. */
@NullMarked
package io.cairn.spring;

import org.jspecify.annotations.NullMarked;
