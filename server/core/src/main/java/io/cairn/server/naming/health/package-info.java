/** Active health checks of persistent instances: probes, intervals, and changes of health. */
@NullMarked
package io.cairn.server.naming.health;

import org.jspecify.annotations.NullMarked;
