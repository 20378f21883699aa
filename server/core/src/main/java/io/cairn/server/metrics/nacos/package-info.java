/** The meters that dashboards made for Nacos show. Each feature registers its own. */
@NullMarked
package io.cairn.server.metrics.nacos;

import org.jspecify.annotations.NullMarked;
