/** Admission of connections and requests: how many, how long a head may take, how much memory large messages may use. */
@NullMarked
package io.cairn.server.admission;

import org.jspecify.annotations.NullMarked;
