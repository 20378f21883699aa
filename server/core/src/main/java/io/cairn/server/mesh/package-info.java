/** Values and interfaces that the xDS edge and the HTTP edge share: reads of the proxies, checks of stored resources, content hashes. */
@NullMarked
package io.cairn.server.mesh;

import org.jspecify.annotations.NullMarked;
