/** The health of the connection; a class for each generation of Boot, which keep their indicators in different places. */
@NullMarked
package io.cairn.spring.health;

import org.jspecify.annotations.NullMarked;
