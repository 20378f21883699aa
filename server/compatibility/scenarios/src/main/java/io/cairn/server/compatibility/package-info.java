/** What users of the official clients do with a server, as tests that any generation of the client can be put to. */
@NullMarked
package io.cairn.server.compatibility;

import org.jspecify.annotations.NullMarked;
