/** Health indicators, one for each generation of Spring Boot, whose base classes are in different packages. */
@NullMarked
package io.cairn.spring.health;

import org.jspecify.annotations.NullMarked;
