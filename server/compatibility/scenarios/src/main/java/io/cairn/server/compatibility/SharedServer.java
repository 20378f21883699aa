package io.cairn.server.compatibility;

import io.cairn.server.process.CairnProcess;
import java.time.Duration;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** One server for all tests of the module, from the first use to the end. */
public final class SharedServer implements ParameterResolver {
    /** Far longer than a test: only the end of its connection shows that a client is gone. */
    private static final Duration SILENCE = Duration.ofMinutes(10);

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext test) {
        return parameter.getParameter().getType() == CairnProcess.class
                && !test.getRequiredTestClass().isAnnotationPresent(StoredInPostgreSql.class);
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext test) {
        return test.getRoot()
                .getStore(ExtensionContext.Namespace.create(SharedServer.class))
                .computeIfAbsent(
                        CairnProcess.class,
                        none -> start(), // the store closes it
                        CairnProcess.class);
    }

    static CairnProcess start(String... arguments) {
        return CairnProcess.builder()
                .setting("cairn.connections.silence", SILENCE.toSeconds() + "s")
                .programArguments(arguments)
                .start();
    }
}
