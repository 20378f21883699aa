/** Active checks of the instances that nobody keeps alive: what is asked, how often, and when health flips. */
@NullMarked
package io.cairn.server.naming.health;

import org.jspecify.annotations.NullMarked;
