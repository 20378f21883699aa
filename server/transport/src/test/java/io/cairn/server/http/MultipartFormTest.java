package io.cairn.server.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.api.error.CairnException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MultipartFormTest {

    private static final String TYPE = "multipart/form-data; boundary=\"a b\"";

    private static MultipartForm read(String body) {
        return MultipartForm.read(TYPE, body.getBytes(UTF_8));
    }

    @Test
    void textsAndFilesAreFoundByTheirNames() {
        MultipartForm form = read("preamble\r\n--a b\r\nContent-Disposition: form-data; name=\"policy\"\r\n\r\nSKIP\r\n"
                + "--a b\r\ncontent-disposition: form-data; name=file; filename=\"x.zip\"\r\n"
                + "Content-Type: application/zip\r\n\r\none\r\ntwo\r\n\r\n--a b--\r\nepilogue");
        assertThat(form.texts()).containsOnlyKeys("policy").containsEntry("policy", "SKIP");
        assertThat(form.file("file")).isEqualTo("one\r\ntwo\r\n".getBytes(UTF_8));
        assertThat(form.file("policy")).isNull();
    }

    @Test
    void decodesTextsInTheCharsetOfThePartElseOfTheForm() {
        String body = "--a b\r\nContent-Disposition: form-data; name=\"one\"\r\n"
                + "Content-Type: text/plain; charset=\"utf-8\"\r\n\r\nÃ©\r\n"
                + "--a b\r\nContent-Disposition: form-data; name=\"two\"\r\n\r\né\r\n--a b--";
        MultipartForm form = MultipartForm.read(TYPE + "; charset=ISO-8859-1", body.getBytes(ISO_8859_1));
        assertThat(form.texts()).containsEntry("one", "é").containsEntry("two", "é");
    }

    @Test
    void rejectsATextThatIsNotInItsCharset() {
        byte[] body =
                "--a b\r\nContent-Disposition: form-data; name=\"content\"\r\n\r\na: é\r\n--a b--".getBytes(ISO_8859_1);
        assertThatThrownBy(() -> MultipartForm.read(TYPE, body))
                .isInstanceOf(CairnException.class)
                .hasMessageStartingWith("content: byte 3 of the value (0xE9) is not UTF-8");
        assertThatThrownBy(() -> MultipartForm.read(TYPE + "; charset=martian", body))
                .isInstanceOf(CairnException.class)
                .hasMessageContaining("Content-Type: charset 'martian' is unknown");
    }

    @Test
    void theNameOfAFileMayBeInAnyCharset() {
        byte[] body = "--a b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"Ö.zip\"\r\n\r\nzip\r\n--a b--"
                .getBytes(ISO_8859_1);
        assertThat(MultipartForm.read(TYPE, body).file("file")).isEqualTo("zip".getBytes(UTF_8));

        byte[] named = "--a b\r\nContent-Disposition: form-data; name=\"Ö\"; filename=\"a.zip\"\r\n\r\nzip\r\n--a b--"
                .getBytes(ISO_8859_1);
        assertThatThrownBy(() -> MultipartForm.read(TYPE, named)).hasMessageContaining("is not UTF-8");
    }

    @Test
    void anEmptyFileIsOne() {
        MultipartForm form =
                read("--a b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"\"\r\n\r\n\r\n--a b--\r\n");
        assertThat(form.file("file")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "--a b",
                "--a b\r\nContent-Disposition: form-data; name=\"x\"\r\n\r\nno end",
                "--a b\r\nno empty line\r\n--a b--"
            })
    void refusesACutOffForm(String body) {
        assertThatThrownBy(() -> read(body))
                .isInstanceOf(CairnException.class)
                .hasMessageContaining("no multipart form, it is cut off");
    }

    @Test
    void aBodyWithoutABoundaryIsRefused() {
        assertThatThrownBy(() -> MultipartForm.read("multipart/form-data", new byte[] {1}))
                .isInstanceOf(CairnException.class)
                .hasMessageContaining("no boundary");
    }

    @Test
    void moreThanEnoughPartsAreRefused() {
        String part = "--a b\r\nContent-Disposition: form-data; name=\"x\"\r\n\r\ny\r\n";
        assertThatThrownBy(() -> read(part.repeat(257) + "--a b--"))
                .isInstanceOf(CairnException.class)
                .hasMessageContaining("more than 256 parts");
    }

    @Test
    void aBoundaryLongerThanTheStandardAllowsIsRefused() {
        String type = "multipart/form-data; boundary=";
        byte[] empty = ("--" + "b".repeat(70) + "--").getBytes(UTF_8);
        assertThat(MultipartForm.read(type + "b".repeat(70), empty).texts()).isEmpty();
        assertThatThrownBy(() -> MultipartForm.read(type + "b".repeat(71), empty))
                .isInstanceOf(CairnException.class)
                .hasMessageContaining("a boundary of 71 characters (expected: 1-70)");
    }
}
