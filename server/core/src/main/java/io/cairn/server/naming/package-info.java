/** Services and instances: settings, limits, causes and errors that all parts of the registry share. */
@NullMarked
package io.cairn.server.naming;

import org.jspecify.annotations.NullMarked;
