package io.cairn.server.http.naming;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.api.config.Namespace;
import io.cairn.api.error.ParameterException;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.naming.NamingException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The parts that need no request; the others are tested through the endpoints. */
class NamingParametersTest {

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {"b":"2","a":"1"} | {b=2, a=1}
            {"n":1,"t":true,"x":null} | {n=1, t=true}
            {} | {}
            b=2,a=1 | {b=2, a=1}
            a=x=y | {a=x=y}
            a= | {a=}
            """)
    void metadataIsReadInBothSpellingsAndKeepsItsOrder(String text, String read) {
        assertThat(NamingParameters.metadata(text)).hasToString(read);
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"", " ", "None"})
    void noMetadataIsSpelledInMoreThanOneWay(String text) {
        assertThat(NamingParameters.metadata(text)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"abc", "=v", "a=1,b", "{", "{\"a\":{}}", "{\"a\":[1]}", "{} x", "{\"a\":\"1\"}}"})
    void refusesInvalidMetadataWithItsText(String text) {
        assertThatThrownBy(() -> NamingParameters.metadata(text))
                .isInstanceOfSatisfying(NamingException.class, refused -> {
                    assertThat(refused.fault()).isEqualTo(NamingException.Fault.METADATA_FORMAT);
                    assertThat(refused.text()).isEqualTo("metadata format incorrect:" + text);
                });
    }

    @Test
    void theKeyOfAStatusMayNameItsNamespace() {
        assertThat(NamingParameters.statusKey("G@@s")).isEqualTo(new ServiceKey(Namespace.DEFAULT, "G", "s"));
        assertThat(NamingParameters.statusKey("dev##G@@s")).isEqualTo(new ServiceKey(new Namespace("dev"), "G", "s"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"s", "@@s", "G@@", "@@"})
    void aKeyWithoutGroupOrNameIsMalformed(String key) {
        assertThatThrownBy(() -> NamingParameters.statusKey(key))
                .isInstanceOfSatisfying(NamingException.class, refused -> assertThat(refused.fault())
                        .isEqualTo(NamingException.Fault.MALFORMED_SERVICE_NAME));
    }

    @ParameterizedTest
    @ValueSource(strings = {"G@@a@@b", "G@@a b", "a b@@s", "a b##G@@s"})
    void aKeyOfIllegalNamesIsRefused(String key) {
        assertThatThrownBy(() -> NamingParameters.statusKey(key))
                .isInstanceOfSatisfying(ParameterException.class, refused -> assertThat(refused.problem())
                        .isEqualTo(ParameterException.Problem.REFUSED));
    }

    @ParameterizedTest
    @CsvSource({"1,2,'[a, b]'", "2,2,'[c]'", "3,2,[]", "0,2,'[a, b]'", "1,0,[]", "1,-1,[]", "2147483647,2147483647,[]"})
    void aPageIsAPartOfTheWhole(int number, int size, String shown) {
        assertThat(new Page(number, size).of(List.of("a", "b", "c"))).hasToString(shown);
    }

    @ParameterizedTest
    @CsvSource({"3,2,2", "4,2,2", "0,2,0", "3,0,0", "1,2147483647,1", "2147483647,2,1073741824"})
    void pagesAreCounted(int total, int size, int pages) {
        assertThat(new Page(1, size).pages(total)).isEqualTo(pages);
    }
}
