/** The switches that operators change at run time. */
@NullMarked
package io.cairn.server.naming.switches;

import org.jspecify.annotations.NullMarked;
