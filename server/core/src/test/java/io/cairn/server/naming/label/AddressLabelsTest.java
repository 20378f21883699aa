package io.cairn.server.naming.label;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AddressLabelsTest {

    private final AddressLabels labels = AddressLabels.read("""
            {
              "10.1.0.0/16": {"site": "north", "kind": "server"},
              "10.1.7.0/24": {"rack": "r7"},
              "10.1.7.9": {"rack": "r8", "kind": "desk"},
              "2001:db8::/32": {"site": "south"},
              "2001:db8:0:0:1::/80": {"rack": "r1"},
              "Db-1.Example.org": {"site": "east"},
              "192.168.0.0/16": {}
            }
            """);

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "10.1.2.3              | site=north kind=server",
                "10.1.7.8              | site=north kind=server rack=r7",
                "10.1.7.9              | site=north kind=desk rack=r8",
                "::ffff:10.1.7.9       | site=north kind=desk rack=r8",
                "10.2.7.9              | ''",
                "192.168.1.1           | ''",
                "2001:db8::1           | site=south",
                "2001:DB8:0:0:1::5     | site=south rack=r1",
                "2001:db8:0:0:1:0:0:5  | site=south rack=r1",
                "2001:db9::1           | ''",
                "db-1.example.org      | site=east",
                "DB-1.EXAMPLE.ORG      | site=east",
                "db-2.example.org      | ''",
                "''                    | ''"
            })
    void anAddressHasTheLabelsOfAllSubnetsAroundIt(String address, String expected) {
        Map<String, String> wanted = new HashMap<>();
        for (String label : expected.split(" ")) {
            if (!label.isEmpty()) {
                wanted.put(label.split("=")[0], label.split("=")[1]);
            }
        }

        assertThat(labels.of(address)).isEqualTo(wanted);
    }

    @Test
    void thereMayBeOneForAll() {
        AddressLabels all = AddressLabels.read("{\"0.0.0.0/0\":{\"a\":\"4\"},\"::/0\":{\"a\":\"6\"}}");

        assertThat(all.of("255.1.2.3")).containsExactly(Map.entry("a", "4"));
        assertThat(all.of("ff::1")).containsExactly(Map.entry("a", "6"));
        assertThat(all.of("name")).isEmpty();
        assertThat(all.size()).isEqualTo(2);
        assertThat(all.isEmpty()).isFalse();
        assertThat(AddressLabels.read("{}").isEmpty()).isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{\"10.1.0.0/33\":{}}                       | '10.1.0.0/33': after the slash: 33 (expected: 0-32)",
                "{\"10.1.0.0/-1\":{}}                       | '10.1.0.0/-1': after the slash: -1 (expected: 0-32)",
                "{\"10.1.0.0/\":{}}                         | '10.1.0.0/': after the slash:  (expected: 0-32)",
                "{\"::/129\":{}}                            | '::/129': after the slash: 129 (expected: 0-128)",
                "{\"10.1.2.3/16\":{}}                       | '10.1.2.3/16': the address has bits set after the first 16",
                "{\"host/16\":{}}                           | 'host/16': is no subnet (expected: as 10.1.0.0/16)",
                "{\"\":{}}                                  | '': is neither an address nor the name of a host",
                "{\"10.1.2.*\":{}}                          | '10.1.2.*': is neither an address nor the name of a host",
                "{\"10.1.2.300\":{}}                        | '10.1.2.300': is neither an address nor the name of a host",
                "{\"10.1.2\":{}}                            | '10.1.2': is neither an address nor the name of a host",
                "{\"10.1.0.0-10.1.0.9\":{}}                 | '10.1.0.0-10.1.0.9': is neither an address nor the name of a host",
                "{\" 10.1.2.3\":{}}                         | ' 10.1.2.3': is neither an address nor the name of a host",
                "{\"10.0.0.1\":{\"a\":[]}}                  | '10.0.0.1': a: an array (expected: text) (expected: labels, as in {\"site\": \"north\"})",
                "{\"10.0.0.1\":{},\"10.0.0.1/32\":{}}       | '10.0.0.1/32': is there twice",
                "{\"host\":{},\"HOST\":{}}                  | 'HOST': is there twice",
                "{\"10.0.0.1\":null}                        | '10.0.0.1': null (expected: labels, as in {\"site\": \"north\"})",
                "{\"10.0.0.1\":{\"a b\":\"c\"}}             | '10.0.0.1': 'a b' is no name of a label (expected: no spaces)",
                "{\"10.0.0.1\":{\"\":\"c\"}}                | '10.0.0.1': '' is no name of a label (expected: no spaces)",
                "{\"10.0.0.1\":{\"a\":\" \"}}               | '10.0.0.1': the label a is empty",
                "[]                                         | the body is not a JSON object"
            })
    void refusesInvalidEntryByName(String json, String text) {
        assertThatThrownBy(() -> AddressLabels.read(json)).isInstanceOfSatisfying(CairnException.class, failure -> {
            assertThat(failure.code()).isEqualTo(ErrorCode.INVALID_PARAMETER);
            assertThat(failure.text()).isEqualTo(text);
        });
    }

    @Test
    void labelsWithTheSameContentAreEqual() {
        String some = "{\"10.0.0.0/8\":{\"a\":\"1\",\"b\":\"2\"},\"h\":{\"c\":\"3\"}}";
        String sameAgain = "{\"H\": {\"c\": \"3\"}, \"10.0.0.0/8\": {\"b\": \"2\", \"a\": \"1\"}}";

        assertThat(AddressLabels.read(some))
                .isEqualTo(AddressLabels.read(sameAgain))
                .hasSameHashCodeAs(AddressLabels.read(sameAgain))
                .isNotEqualTo(AddressLabels.read(some.replace('3', '4')))
                .isNotEqualTo(AddressLabels.read(some.replace('2', '4')));
    }

    @Test
    void thereAreNoMoreThanAHundredThousand() {
        StringBuilder json = new StringBuilder("{\"h\":{}");
        for (int i = 1; i < 100_000; i++) {
            json.append(",\"h").append(i).append("\":{}");
        }

        assertThat(AddressLabels.read(json + "}").size()).isEqualTo(100_000);
        assertThatThrownBy(() -> AddressLabels.read(json + ",\"x\":{}}"))
                .hasMessage("'x': is one more than 100000 (expected: subnets rather than addresses)");
    }

    @Test
    void refusesInvalidJsonWithItsLine() {
        assertThatThrownBy(() -> AddressLabels.read("{\n  \"10.0.0.1\": {\"a\": \"b\"}\n  \"10.0.0.2\": {}\n}"))
                .hasMessageContaining("line 3, column ")
                .hasMessageContaining("not valid JSON");
    }

    @Test
    void manySubnetsGiveWhatASearchThroughAllOfThemGives() throws Exception {
        Random random = new Random(7);
        Map<String, Map<String, String>> given = new LinkedHashMap<>();
        StringBuilder json = new StringBuilder("{");
        for (int i = 0; i < 2_000; i++) {
            int length = random.nextInt(33);
            int bits = length == 0 ? 0 : near(random) & -1 << 32 - length;
            String subnet = address(bits) + '/' + length;
            String label = "l" + random.nextInt(3);
            if (given.putIfAbsent(subnet, Map.of(label, "v" + i)) == null) {
                json.append(json.length() > 1 ? "," : "").append("\"%s\":{\"%s\":\"v%d\"}".formatted(subnet, label, i));
            }
        }
        AddressLabels many = AddressLabels.read(json.append('}').toString());

        for (int i = 0; i < 2_000; i++) {
            int bits = near(random);
            assertThat(many.of(address(bits))).as(address(bits)).isEqualTo(searched(given, bits));
        }
    }

    /** Addresses close enough to each other to be in the same subnets. */
    private static int near(Random random) {
        return 10 << 24 | random.nextInt(4) << 16 | random.nextInt(4) << 8 | random.nextInt(256);
    }

    private static String address(int bits) throws UnknownHostException {
        byte[] bytes = {(byte) (bits >> 24), (byte) (bits >> 16), (byte) (bits >> 8), (byte) bits};
        return InetAddress.getByAddress(bytes).getHostAddress();
    }

    private static Map<String, String> searched(Map<String, Map<String, String>> given, int bits) throws Exception {
        Map<String, String> found = new HashMap<>();
        for (int length = 0; length <= 32; length++) {
            int first = length == 0 ? 0 : bits & -1 << 32 - length;
            found.putAll(given.getOrDefault(address(first) + '/' + length, Map.of()));
        }
        return found;
    }
}
