/** Everything that is stored as one file that no database knows anything of, and back. */
@NullMarked
package io.cairn.server.backup;

import org.jspecify.annotations.NullMarked;
