/** Facts about the folders of an installation that the server and the command line both check. */
@NullMarked
package io.cairn.api.installation;

import org.jspecify.annotations.NullMarked;
