/** Spring Boot's actuator endpoints on Cairn's own router. */
@NullMarked
package io.cairn.server.http.actuator;

import org.jspecify.annotations.NullMarked;
