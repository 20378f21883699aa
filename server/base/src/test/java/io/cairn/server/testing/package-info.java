/** Support for the tests of several modules: a settable clock, a watch on the log, raw connections. Depends on no module above base. */
package io.cairn.server.testing;
