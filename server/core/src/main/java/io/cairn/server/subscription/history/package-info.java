/** The events of clients and configurations, kept in files for some days. */
@NullMarked
package io.cairn.server.subscription.history;

import org.jspecify.annotations.NullMarked;
