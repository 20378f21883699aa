/** Labels of addresses, and selectors that limit a consumer to instances with the same labels. */
@NullMarked
package io.cairn.server.naming.label;

import org.jspecify.annotations.NullMarked;
