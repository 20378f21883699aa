package io.cairn.server.gray;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The identity of a client in a share of clients; clients with one identity are in it together.
 *
 * @param by its source
 */
public record GrayIdentity(String text, By by) {

    /** The source of an identity, the most exact first. */
    public enum By {
        /** A label of the instance: {@code instance} of the application, or {@code nacos.app.instance}. */
        INSTANCE,
        APPLICATION_AND_ADDRESS,
        /** The id of an xDS node. */
        NODE
    }

    private static final String INSTANCE = "instance";
    private static final String NACOS_INSTANCE = "nacos.app.instance";
    /** The label with the name of the application. */
    public static final String APPLICATION = "AppName";

    private static final char SEPARATOR = '@';

    /** The label of the instance, or empty. */
    public static String instance(Map<String, String> labels) {
        String instance = LabelExpression.value(labels, INSTANCE);
        return instance != null ? instance : labels.getOrDefault(NACOS_INSTANCE, "");
    }

    /** The identity of a client with these labels; null without labels, as of a client over HTTP. */
    public static @Nullable GrayIdentity of(Map<String, String> labels, String address) {
        if (labels.isEmpty()) {
            return null;
        }
        String instance = instance(labels);
        return !instance.isBlank()
                ? new GrayIdentity(instance, By.INSTANCE)
                : new GrayIdentity(
                        labels.getOrDefault(APPLICATION, "") + SEPARATOR + address, By.APPLICATION_AND_ADDRESS);
    }
}
