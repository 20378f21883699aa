/** Services and their instances, as client and server understand them. */
@NullMarked
package io.cairn.api.naming;

import org.jspecify.annotations.NullMarked;
