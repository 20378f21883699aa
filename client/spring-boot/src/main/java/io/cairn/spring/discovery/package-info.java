/** The application as an instance of a service, and Spring Cloud's view of the registry. */
@NullMarked
package io.cairn.spring.discovery;

import org.jspecify.annotations.NullMarked;
