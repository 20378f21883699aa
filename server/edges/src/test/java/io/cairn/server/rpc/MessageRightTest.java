package io.cairn.server.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.Namespace;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.auth.AccessPolicy;
import io.cairn.server.auth.Action;
import io.cairn.server.auth.Denial;
import io.cairn.server.auth.Permission;
import io.cairn.server.auth.Principal;
import io.cairn.server.auth.ResourceType;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class MessageRightTest {

    private static final AccessPolicy POLICY = new AccessPolicy(true);
    private static final Principal READER = new Principal(
            "reader",
            Principal.Kind.USER,
            false,
            List.of(Permission.of("mine:g:config/*", "r"), Permission.of("mine:g:naming/*", "r")));

    private static Function<String, ConfigKey> configIn(String namespace) {
        return dataId -> new ConfigKey(new Namespace(namespace), "g", dataId);
    }

    private static Function<String, ServiceKey> serviceIn(String namespace) {
        return name -> new ServiceKey(new Namespace(namespace), "g", name);
    }

    @Test
    void configurationNeedsTheActionInItsNamespace() {
        assertThat(MessageRight.config(Action.READ, configIn("mine")).check(POLICY, READER, "a"))
                .isNull();
        assertThat(MessageRight.config(Action.WRITE, configIn("mine")).check(POLICY, READER, "a"))
                .isEqualTo(Denial.NO_RIGHT);
        assertThat(MessageRight.config(Action.READ, configIn("other")).check(POLICY, READER, "a"))
                .isEqualTo(Denial.NO_RIGHT);
    }

    @Test
    void serviceNeedsTheActionInItsNamespace() {
        assertThat(MessageRight.service(Action.READ, serviceIn("mine")).check(POLICY, READER, "a"))
                .isNull();
        assertThat(MessageRight.service(Action.WRITE, serviceIn("mine")).check(POLICY, READER, "a"))
                .isEqualTo(Denial.NO_RIGHT);
        assertThat(MessageRight.service(Action.READ, serviceIn("other")).check(POLICY, READER, "a"))
                .isEqualTo(Denial.NO_RIGHT);
    }

    @Test
    void namespaceIsEnteredWithARightToAnythingOfTheTypeInIt() {
        MessageRight<String> services = MessageRight.enter(Action.READ, ResourceType.NAMING, Namespace::new);

        assertThat(services.check(POLICY, READER, "mine")).isNull();
        assertThat(services.check(POLICY, READER, "other")).isEqualTo(Denial.NO_RIGHT);
        assertThat(MessageRight.<String>enter(Action.READ, ResourceType.METRICS, Namespace::new)
                        .check(POLICY, READER, "mine"))
                .isEqualTo(Denial.NO_RIGHT);
    }

    @Test
    void listNeedsTheRightToOneOfItsRows() {
        MessageRight<List<String>> rows =
                MessageRight.anyConfig(Action.READ, Function.identity(), namespace -> configIn(namespace)
                        .apply("a"));

        assertThat(rows.check(POLICY, READER, List.of("other", "mine"))).isNull();
        assertThat(rows.check(POLICY, READER, List.of("other", "another"))).isEqualTo(Denial.NO_RIGHT);
        assertThat(rows.check(POLICY, READER, List.of())).isNull();
    }

    @Test
    void refusesIllegalNameBeforeTheRightIsKnown() {
        MessageRight<List<String>> rows = MessageRight.anyConfig(Action.READ, Function.identity(), configIn("other"));

        assertThatThrownBy(() -> rows.check(POLICY, READER, List.of("a", " ")))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void openNeedsNoRight() {
        MessageRight<String> open = MessageRight.open();

        assertThat(open.isOpen()).isTrue();
        assertThat(open.check(POLICY, Principal.ANONYMOUS, "a")).isNull();
        assertThat(MessageRight.config(Action.READ, configIn("mine")).isOpen()).isFalse();
    }
}
