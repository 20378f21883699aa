/** The resources of the mesh edge, their names and types, and the encoding of services as resources. */
@NullMarked
package io.cairn.server.xds.resource;

import org.jspecify.annotations.NullMarked;
