package io.cairn.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** A configuration that is stored before the first test; for classes with {@link CairnTest} or {@link CairnCluster}. */
@Documented
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Repeatable(CairnConfig.All.class)
public @interface CairnConfig {

    String dataId();

    String group() default "DEFAULT_GROUP";

    /** The namespace id; empty for the default namespace. */
    String namespace() default "";

    /** The content; excludes {@link #resource}. */
    String content() default "";

    /**
     * A UTF-8 file on the class path with the content, relative to the class ({@code a.yaml}) or absolute ({@code /a.yaml}).
     */
    String resource() default "";

    /** The type, such as {@code yaml} or {@code json}; by default from the extension of the data id. */
    String type() default "";

    @Documented
    @Inherited
    @Target(ElementType.TYPE)
    @Retention(RetentionPolicy.RUNTIME)
    @interface All {
        CairnConfig[] value();
    }
}
