/** The Java SDK's place. Nothing is offered here yet: use an official Nacos client meanwhile. */
@NullMarked
package io.cairn.client;

import org.jspecify.annotations.NullMarked;
