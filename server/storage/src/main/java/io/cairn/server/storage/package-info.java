/** The database as the server uses it: present or away, its findings, and the products that the settings can name. */
@NullMarked
package io.cairn.server.storage;

import org.jspecify.annotations.NullMarked;
