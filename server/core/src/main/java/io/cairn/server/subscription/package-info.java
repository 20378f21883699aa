/** Subscriptions to services, listeners of configurations, and their notification of changes. */
@NullMarked
package io.cairn.server.subscription;

import org.jspecify.annotations.NullMarked;
