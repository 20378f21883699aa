/** Measurements from within: what runs for each message, and what each connection takes. */
@NullMarked
package io.cairn.measure;

import org.jspecify.annotations.NullMarked;
