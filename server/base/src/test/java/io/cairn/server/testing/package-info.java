/** What tests of several modules use: a settable clock, a watch on the log, raw connections. It knows no module above base. */
package io.cairn.server.testing;
