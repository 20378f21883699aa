package io.cairn.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** A configuration that is there before the first test of a class runs; for classes with {@link CairnTest}. */
@Documented
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Repeatable(CairnConfig.All.class)
public @interface CairnConfig {

    String dataId();

    String group() default "DEFAULT_GROUP";

    /** The id of its namespace; empty for the default one. */
    String namespace() default "";

    /** The content itself; either this or {@link #resource}. */
    String content() default "";

    /** A file on the class path that holds the content as UTF-8, from the class ({@code a.yaml}) or the root ({@code /a.yaml}). */
    String resource() default "";

    /** As the console shows it: {@code yaml}, {@code json}, {@code properties}...; without it what the data id ends with. */
    String type() default "";

    /** Several of them. */
    @Documented
    @Inherited
    @Target(ElementType.TYPE)
    @Retention(RetentionPolicy.RUNTIME)
    @interface All {
        CairnConfig[] value();
    }
}
