/** Registers the application as an instance of a service, and connects the registry to Spring Cloud. */
@NullMarked
package io.cairn.spring.discovery;

import org.jspecify.annotations.NullMarked;
