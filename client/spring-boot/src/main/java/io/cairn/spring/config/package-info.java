/**
 * {@code spring.config.import=cairn:...}: configurations as property sources that are kept up to date. Spring Boot creates and calls
 * the classes that implement its interfaces.
 */
@NullMarked
package io.cairn.spring.config;

import org.jspecify.annotations.NullMarked;
