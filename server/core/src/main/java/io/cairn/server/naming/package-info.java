/** Which instances each service has, who published them, and how long they live. */
@NullMarked
package io.cairn.server.naming;

import org.jspecify.annotations.NullMarked;
