/** Cairn in a Spring Boot application: the beans, and the settings they are made of. */
@NullMarked
package io.cairn.spring;

import org.jspecify.annotations.NullMarked;
