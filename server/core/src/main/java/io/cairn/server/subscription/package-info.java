/** Who subscribes to which services, and how they hear of changes. */
@NullMarked
package io.cairn.server.subscription;

import org.jspecify.annotations.NullMarked;
