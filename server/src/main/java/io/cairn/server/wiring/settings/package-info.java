/** The settings of the server: reads and checks them, and names the one that is wrong. */
@NullMarked
package io.cairn.server.wiring.settings;

import org.jspecify.annotations.NullMarked;
