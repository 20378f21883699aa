/**
 * The implementation of the client. Not for applications: it may change with any version. Classes are thread-safe and do not
 * block, unless their Javadoc states otherwise.
 */
@NullMarked
package io.cairn.client.internal;

import org.jspecify.annotations.NullMarked;
