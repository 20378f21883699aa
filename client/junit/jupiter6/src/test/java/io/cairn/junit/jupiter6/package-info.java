/** The packed extension as its users have it. */
package io.cairn.junit.jupiter6;
