/** What happens, told as it happens to those who look: hints, after which they read what is of interest to them. */
@NullMarked
package io.cairn.server.http.events;

import org.jspecify.annotations.NullMarked;
