@NullMarked
package io.cairn.cli.migrate;

import org.jspecify.annotations.NullMarked;
