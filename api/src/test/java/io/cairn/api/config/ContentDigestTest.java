package io.cairn.api.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ContentDigestTest {

    @Test
    void isTheMd5OfTheUtf8Bytes() {
        assertThat(ContentDigest.of("a: 1")).hasToString("270f9e65a80226eccd82c99cdd0dd2fb");
        assertThat(ContentDigest.of("")).hasToString("d41d8cd98f00b204e9800998ecf8427e");
        assertThat(ContentDigest.of("{\"k\":\"中\"}")).hasToString("4210de201a80160bc42a22ceb6334be7");
        assertThat(ContentDigest.of("a: 1".getBytes(StandardCharsets.UTF_8))).isEqualTo(ContentDigest.of("a: 1"));
    }

    @Test
    void seededRandomContentsHaveTheDigestAndTheSpellingThatTheJdkGivesThem() throws Exception {
        Random random = new Random(1);
        for (int round = 0; round < 500; round++) {
            byte[] content = new byte[random.nextInt(300)];
            random.nextBytes(content);
            byte[] md5 = MessageDigest.getInstance("MD5").digest(content);
            String hex = String.format(Locale.ROOT, "%032x", new BigInteger(1, md5));

            ContentDigest digest = ContentDigest.of(content);

            assertThat(digest).hasToString(hex);
            assertThat(ContentDigest.parse(hex)).contains(digest);
            assertThat(digest.matches(hex)).isTrue();
        }
    }

    @Test
    void capitalsSpellTheSameDigest() {
        assertThat(ContentDigest.parse("270F9E65A80226ECCD82C99CDD0DD2FB")).contains(ContentDigest.of("a: 1"));
        assertThat(ContentDigest.of("a: 1").matches("270F9E65A80226ECCD82C99CDD0DD2FB"))
                .isTrue();
    }

    @Test
    void anInvalidDigestMatchesNoneWithoutAnError() {
        for (String text : new String[] {
            null,
            "",
            " ",
            "deadbeef",
            "270f9e65a80226eccd82c99cdd0dd2f",
            "270f9e65a80226eccd82c99cdd0dd2fbb",
            "270f9e65a80226eccd82c99cdd0dd2fg",
            "-70f9e65a80226eccd82c99cdd0dd2fb",
            "+70f9e65a80226eccd82c99cdd0dd2fb",
            "270f9e65a80226ec cd82c99cdd0dd2f",
            "２70f9e65a80226eccd82c99cdd0dd2fb"
        }) {
            assertThat(ContentDigest.parse(text)).as(String.valueOf(text)).isEmpty();
            assertThat(ContentDigest.of("a: 1").matches(text))
                    .as(String.valueOf(text))
                    .isFalse();
        }
    }

    @Test
    void anotherDigestDoesNotMatchInEitherHalf() {
        ContentDigest digest = ContentDigest.of("a: 1");
        assertThat(digest.matches("070f9e65a80226eccd82c99cdd0dd2fb")).isFalse();
        assertThat(digest.matches("270f9e65a80226eccd82c99cdd0dd2f0")).isFalse();
    }

    @Test
    void leadingZerosAreSpelledOut() {
        assertThat(new ContentDigest(0, 1)).hasToString("00000000000000000000000000000001");
        assertThat(new ContentDigest(1, 0)).hasToString("00000000000000010000000000000000");
    }
}
