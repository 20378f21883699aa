package io.cairn.server.auth;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.api.error.CairnException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class UserNamesTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "nacos",
                "anna.b-c_1@example.org",
                "CN=anna",
                "jürgen",
                "łukasz",
                "ångström",
                "张三",
                "dev张三",
                "たろう",
                "サーバー",
                "홍길동",
                "иван",
                "γιώργος",
                "आनंद",
                "دانا"
            })
    void aNameThatCanBeReadIsAllowed(String name) {
        assertThatCode(() -> UserNames.check(name)).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            ignoreLeadingAndTrailingWhitespace = false,
            value = {
                "an na;a blank, U+0020 SPACE",
                "an\u00A0na;a blank, U+00A0",
                "an\u3000na;a blank, U+3000",
                "an\tna;a control character, U+0009",
                "anna\u0000;a control character, U+0000",
                "anna\u007F;a control character, U+007F",
                "an\u200Bna;a control character, U+200B ZERO WIDTH SPACE",
                "anna\u202E;a control character, U+202E",
                "anna\uFEFF;a control character, U+FEFF",
                "anna\u3164;an invisible character, U+3164",
                "n\u0430cos;U+0430 CYRILLIC SMALL LETTER A beside letters of another script",
                "nac\u03BFs;U+03BF GREEK SMALL LETTER OMICRON beside",
                "\u0430\u0441\u0435;letters of CYRILLIC alone that look like Latin ones",
                "\uFF4Eacos;may look like another one, U+FF4E",
                "adm\u0131n;may look like another one, U+0131",
                "an\u2010na;may look like another one, U+2010 HYPHEN",
                "u\u0308ber;U+0308 COMBINING DIAERESIS",
                "anna\uD83D\uDE00;may look like another one, U+1F600"
            })
    void aNameThatMayBeTakenForAnotherIsRefusedWithTheCharacter(String name, String fault) {
        assertThatThrownBy(() -> UserNames.check(name))
                .isInstanceOf(CairnException.class)
                .hasMessageStartingWith("username: it has ")
                .hasMessageContaining(fault);
    }
}
