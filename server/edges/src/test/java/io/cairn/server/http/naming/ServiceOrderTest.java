package io.cairn.server.http.naming;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.api.config.Namespace;
import io.cairn.api.error.CairnException;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.http.naming.ServiceOrder.Counted;
import io.cairn.server.naming.view.ServiceTally;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class ServiceOrderTest {

    private static final List<Counted> SOME = List.of(
            counted("G1", "well", 3, 3),
            counted("G1", "down", 2, 0),
            counted("G2", "down-more", 9, 0),
            counted("G2", "half", 4, 2),
            counted("G1", "empty", 0, 0));

    private static final List<Counted> MANY = aHundredThousand();

    private static List<Counted> aHundredThousand() {
        Random random = new Random(8);
        List<Counted> all = new ArrayList<>();
        for (int i = 0; i < 100_000; i++) {
            int instances = random.nextInt(4);
            all.add(counted("G" + i % 7, "service-" + i, instances, random.nextInt(instances + 1)));
        }
        return List.copyOf(all);
    }

    private static Counted counted(String group, String name, int instances, int healthy) {
        return new Counted(new ServiceKey(Namespace.DEFAULT, group, name), new ServiceTally(instances, healthy, false));
    }

    private static List<String> names(@Nullable String sort, @Nullable String order, List<Counted> all, Page page) {
        return ServiceOrder.of(sort, order).page(all, page).stream()
                .map(ServiceKey::name)
                .toList();
    }

    @ParameterizedTest
    @CsvSource({
        "health,, down-more down half well empty",
        "health, desc, empty well half down down-more",
        "healthy, desc, well half down down-more empty",
        "instances, desc, down-more half well down empty",
        "name,, down down-more empty half well",
        "group, asc, down empty well down-more half",
        ", desc, half down-more well empty down",
        ",, well down down-more half empty"
    })
    void servicesAreListedInTheOrderAskedFor(@Nullable String sort, @Nullable String order, String expected) {
        assertThat(names(sort, order, SOME, new Page(1, 10))).containsExactly(expected.split(" "));
    }

    @ParameterizedTest
    @EnumSource(ServiceOrder.By.class)
    void pagesPickedOutOfAHundredThousandAreThoseOfTheWholeList(ServiceOrder.By by) {
        List<Counted> all = MANY;
        ServiceOrder order = new ServiceOrder(by, true);
        List<ServiceKey> sorted = order.page(all, new Page(1, all.size()));
        assertThat(order.page(all, new Page(1, 50))).isEqualTo(sorted.subList(0, 50));
        assertThat(order.page(all, new Page(3, 50))).isEqualTo(sorted.subList(100, 150));
        assertThat(order.page(all, new Page(2_000, 50))).isEqualTo(sorted.subList(99_950, 100_000));
        assertThat(order.page(all, new Page(2_001, 50))).isEmpty();
    }

    @Test
    void otherWordsAreRefused() {
        assertThatThrownBy(() -> ServiceOrder.of("size", null))
                .isInstanceOf(CairnException.class)
                .hasMessageContaining("sort: 'size' (expected: name, group, instances, healthy or health)");
        assertThatThrownBy(() -> ServiceOrder.of("name", "up")).hasMessageContaining("order: 'up'");
        assertThatThrownBy(() -> HealthFilter.of("bad")).hasMessageContaining("health: 'bad'");
    }
}
