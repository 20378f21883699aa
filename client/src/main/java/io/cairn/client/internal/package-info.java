/** How the client works. Not for applications: whatever is in here may change with any version. */
@NullMarked
package io.cairn.client.internal;

import org.jspecify.annotations.NullMarked;
