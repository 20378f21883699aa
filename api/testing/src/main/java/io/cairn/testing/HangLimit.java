package io.cairn.testing;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;

/**
 * Ends a test after 20 minutes with the stack of its thread; on a class, each of its tests. The limit finds hanging tests.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
@Timeout(value = 20, unit = TimeUnit.MINUTES)
public @interface HangLimit {}
