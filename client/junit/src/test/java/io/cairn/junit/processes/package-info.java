/** Tests of the extension, on the oldest JUnit that it promises to run on. */
package io.cairn.junit.processes;
