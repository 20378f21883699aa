package io.cairn.junit;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

record Scaffold(String namespace, String group, String dataId, String content, String type) {

    static Scaffold of(CairnConfig config, Class<?> test) {
        if (config.content().isEmpty() == config.resource().isEmpty()) {
            throw new IllegalArgumentException("@CairnConfig(dataId = \"" + config.dataId() + "\") of " + test.getName()
                    + ": either content or resource (expected: one of them)");
        }
        String content = config.resource().isEmpty() ? config.content() : read(config.resource(), test);
        return new Scaffold(config.namespace(), config.group(), config.dataId(), content, config.type());
    }

    private static String read(String resource, Class<?> test) {
        try (InputStream in = test.getResourceAsStream(resource)) {
            if (in == null) {
                throw new IllegalArgumentException("@CairnConfig(resource = \"" + resource + "\") of " + test.getName()
                        + ": not on the class path");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(resource + " cannot be read", e);
        }
    }
}
