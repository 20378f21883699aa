package io.cairn.server.auth;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import java.lang.Character.UnicodeScript;
import java.text.Normalizer;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Legible and distinct names for new users: no control characters or blanks, in the shortest Unicode form (NFKC), letters of one
 * script, or Latin beside Chinese, Japanese or Korean. Existing users keep their names.
 */
final class UserNames {

    private static final Set<UnicodeScript> BESIDE_LATIN = EnumSet.of(
            UnicodeScript.LATIN,
            UnicodeScript.HAN,
            UnicodeScript.HIRAGANA,
            UnicodeScript.KATAKANA,
            UnicodeScript.BOPOMOFO,
            UnicodeScript.HANGUL);

    /** Latin letters without an ASCII base that resemble no other letter. */
    private static final String OWN_LATIN = "ÆæØøÞþÐðßẞŁłĐđŒœĦħŊŋŦŧ";
    /** Cyrillic, Greek and Armenian letters that resemble Latin ones. */
    private static final String LIKE_LATIN =
            "аеорсухѕіјһӏԁԛԝүАВЕКМНОРСТУХЅІЈҺӀԚԜҮ" + "αικνορυχΑΒΕΖΗΙΚΜΝΟΡΤΥΧ" + "օոսհցՕՍ";
    /** Letters without a shape. */
    private static final String INVISIBLE = "\u115F\u1160\u3164\uFFA0\u2800\u034F";
    /** The long vowel of Katakana, which belongs to no script. */
    private static final int LONG_VOWEL = '\u30FC';

    private UserNames() {}

    /** @throws CairnException {@code INVALID_PARAMETER} with the illegal character */
    static void check(String name) {
        String fault = fault(name);
        if (fault != null) {
            throw new CairnException(
                    ErrorCode.INVALID_PARAMETER,
                    "username: it has " + fault + " (expected: visible letters, digits and signs, of one script)");
        }
    }

    private static @Nullable String fault(String name) {
        Set<UnicodeScript> scripts = EnumSet.noneOf(UnicodeScript.class);
        boolean isUnlikeLatin = false;
        for (int i = 0; i < name.length(); ) {
            int c = name.codePointAt(i);
            i += Character.charCount(c);
            String fault = fault(c);
            if (fault != null) {
                return fault;
            }
            UnicodeScript script = UnicodeScript.of(c);
            if (script != UnicodeScript.COMMON && script != UnicodeScript.INHERITED) {
                scripts.add(script);
                isUnlikeLatin |= LIKE_LATIN.indexOf(c) < 0;
                if (scripts.size() > 1 && !BESIDE_LATIN.containsAll(scripts)) {
                    return described(c) + " beside letters of another script, which may look alike";
                }
            }
        }
        if (!Normalizer.isNormalized(name, Normalizer.Form.NFKC)) {
            return "a character that looks like another one or has a shorter form, as in '"
                    + Normalizer.normalize(name, Normalizer.Form.NFKC) + "'";
        }
        return scripts.isEmpty() || isUnlikeLatin
                ? null
                : "letters of " + scripts.iterator().next() + " alone that look like Latin ones";
    }

    private static @Nullable String fault(int c) {
        if (c > ' ' && c < 0x7F || c == LONG_VOWEL) {
            return null;
        }
        switch (Character.getType(c)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED -> {
                return "a control character, " + described(c);
            }
            case Character.SPACE_SEPARATOR, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR -> {
                return "a blank, " + described(c);
            }
            default -> {
                // A letter, a sign, or a mark on the letter before it.
            }
        }
        if (INVISIBLE.indexOf(c) >= 0) {
            return "an invisible character, " + described(c);
        }
        UnicodeScript script = UnicodeScript.of(c);
        boolean isOdd = script == UnicodeScript.COMMON
                || script == UnicodeScript.INHERITED
                || !Character.isLetterOrDigit(c) && !isMark(c)
                || script == UnicodeScript.LATIN && !isKnownLatin(c);
        return isOdd ? "a character that may look like another one, " + described(c) : null;
    }

    private static boolean isMark(int c) {
        int type = Character.getType(c);
        return type == Character.NON_SPACING_MARK || type == Character.COMBINING_SPACING_MARK;
    }

    private static boolean isKnownLatin(int c) {
        return OWN_LATIN.indexOf(c) >= 0
                || Normalizer.normalize(Character.toString(c), Normalizer.Form.NFD)
                                .charAt(0)
                        < 0x7F;
    }

    private static String described(int c) {
        String name = Character.getName(c);
        return String.format("U+%04X", c) + (name == null ? "" : " " + name);
    }
}
