package io.cairn.api.wire;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class WireResponseTest {

    @Test
    void aSuccessCarriesAllThreeWordsForIt() {
        assertAnswer(
                WireResponse.ok("ConfigPublishResponse"),
                "ConfigPublishResponse",
                "{\"resultCode\":200,\"errorCode\":0,\"success\":true}");
    }

    @Test
    void aSuccessWithFieldsEndsInItsFlag() {
        JsonOutput out = WireResponse.start(0).text("connectionId", "1_2_3").flag("success", true);

        assertAnswer(
                Payload.of("ServerCheckResponse", out.toBytes()),
                "ServerCheckResponse",
                "{\"resultCode\":200,\"errorCode\":0,\"connectionId\":\"1_2_3\",\"success\":true}");
    }

    @Test
    void aFailureNamesItsCodeAndItsReasonInTheAnswerTypeOfTheRequest() {
        assertAnswer(
                WireResponse.failed("ConfigPublishResponse", 400, "content is blank : \"\n", null),
                "ConfigPublishResponse",
                "{\"resultCode\":500,\"errorCode\":400,\"message\":\"content is blank : \\\"\\n\",\"success\":false}");
    }

    @Test
    void aFailureHasTheFieldsThatItsTypeAlwaysHas() {
        assertAnswer(
                WireResponse.failed(
                        "ConfigQueryResponse", 300, "config data not exist", out -> out.number("lastModified", 0)
                                .flag("beta", false)),
                "ConfigQueryResponse",
                "{\"resultCode\":500,\"errorCode\":300,\"message\":\"config data not exist\","
                        + "\"lastModified\":0,\"beta\":false,\"success\":false}");
    }

    @Test
    void anErrorOfTheServerIsAFiveHundredWithTheCodeBesideIt() {
        assertAnswer(
                WireResponse.error(WireError.UNREGISTERED, "Connection is unregistered."),
                "ErrorResponse",
                "{\"resultCode\":500,\"errorCode\":301,\"message\":\"Connection is unregistered.\",\"success\":false}");
    }

    @Test
    void anErrorOfAHandlerCarriesItsCodeTwice() {
        assertAnswer(
                WireResponse.handlerError(-401, "gone"),
                "ErrorResponse",
                "{\"resultCode\":-401,\"errorCode\":-401,\"message\":\"gone\",\"success\":false}");
    }

    private static void assertAnswer(Payload answer, String type, String json) {
        assertThat(answer.type()).isEqualTo(type);
        assertThat(answer.bodyText()).isEqualTo(json);
        // Unary answers name neither sender nor headers.
        assertThat(answer.clientIp()).isNull();
    }
}
