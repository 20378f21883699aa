@org.jspecify.annotations.NullMarked
package io.cairn.spring.discovery;
