package io.cairn.server.http2;

import static io.cairn.server.http2.Wire.data;
import static io.cairn.server.http2.Wire.message;
import static io.cairn.server.http2.Wire.open;
import static io.cairn.server.http2.Wire.payload;
import static io.cairn.server.testing.RawHttp2.DATA;
import static io.cairn.server.testing.RawHttp2.END_STREAM;
import static io.cairn.server.testing.RawHttp2.HEADERS;
import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.testing.RawHttp2.Frame;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** When the system is asked to send the acknowledgement of an answer with the next message; see docs/internals/tuning.md. */
class DelayedAcknowledgementTest {

    private Wire wire;

    @BeforeEach
    void connect() throws Exception {
        wire = Wire.started();
    }

    @AfterEach
    void close() {
        wire.close();
    }

    /** Sends the first message of a stream, after which nobody knows whether there will be another one. */
    private Call begin() {
        wire.send(open(1), data(1, 0, message("begin")));
        Call call = wire.calls.get(0).call;
        push(call);
        return call;
    }

    private void push(Call call) {
        call.send(payload("push"));
        assertThat(wire.frames()).last().extracting(Frame::type).isEqualTo(DATA);
    }

    private void pushAfter(int millis, Call call) {
        wire.pass(Duration.ofMillis(millis));
        push(call);
    }

    @Test
    void isNotUsedWhenOnlyTheHeadOfACallHasArrived() {
        wire.send(open(1));
        assertThat(wire.promptAcknowledgements())
                .as("its client may wait with the rest")
                .isOne();
        wire.send(data(1, 0, message("first")));
        wire.send(data(1, 0, message("second")));
        wire.send(open(3), data(3, END_STREAM, message("question")));
        assertThat(wire.promptAcknowledgements()).as("the rest has come").isOne();

        wire.send(open(5), data(3, 0, new byte[0]));
        assertThat(wire.promptAcknowledgements()).as("that of another call").isEqualTo(2);

        wire.refuseOptions();
        wire.send(open(7));
        wire.send(open(9));
        assertThat(wire.promptAcknowledgements())
                .as("a socket that takes no options is asked once")
                .isEqualTo(3);
    }

    @Test
    void isNotWantedForTheAnswersOfAClientThatSendsItsCallsInPieces() {
        wire.send(open(1));
        wire.send(data(1, 0, message("begin")));
        assertThat(wire.promptAcknowledgements()).as("that of the head").isOne();
        wire.send(data(1, 0, message("answer")));
        wire.send(open(3), data(3, END_STREAM, message("question")));
        wire.send(data(1, 0, message("answer")));
        assertThat(wire.promptAcknowledgements())
                .as("its stream was opened before there was something to say")
                .isOne();

        wire.send(open(5));
        assertThat(wire.promptAcknowledgements()).as("that of the head").isEqualTo(2);
        wire.send(data(5, 0, message("question")), data(5, END_STREAM, new byte[0]));
        assertThat(wire.promptAcknowledgements()).as("a call is answered").isEqualTo(2);
        wire.send(data(1, 0, message("answer")));
        assertThat(wire.promptAcknowledgements())
                .as("it keeps its next call until then")
                .isEqualTo(3);
        wire.send(open(7), data(7, END_STREAM, message("kept, and so in one piece")));
        wire.send(data(1, 0, message("answer")), data(1, 0, message("answer")));
        assertThat(wire.promptAcknowledgements()).as("once for all").isEqualTo(4);
    }

    private void assertAsked(int times, String why) {
        assertThat(wire.delayedAcknowledgements()).as(why).isEqualTo(times);
    }

    @Test
    void isAskedForWhereMessagesFollowEachOtherClosely() {
        Call call = begin();
        assertAsked(0, "nobody knows of another one");

        pushAfter(79, call);
        assertAsked(1, "the answer may wait for the next");
        pushAfter(79, call);
        assertAsked(2, "it may again");

        pushAfter(80, call);
        assertAsked(2, "the next may be far");
    }

    @Test
    void isNotAskedForAgainWhereTheSystemCannotHaveForgotten() {
        Call call = begin();
        pushAfter(10, call);
        assertAsked(1, "the first of a row");

        pushAfter(34, call);
        assertAsked(1, "an answer still waits to be acknowledged");

        pushAfter(35, call);
        assertAsked(2, "an answer may have waited in vain");

        pushAfter(80, call);
        pushAfter(1, call);
        assertAsked(3, "the first of another row");
    }

    @Test
    void repeatsTheRequestBecauseLinuxForgetsItAfterALoss() {
        Call call = begin();
        pushAfter(1, call);
        for (int i = 0; i < 64; i++) {
            pushAfter(1, call);
            assertAsked(1, "message " + i + " after it was asked for");
        }

        pushAfter(1, call);
        assertAsked(2, "so many may go without");
    }

    @Test
    void isNotAskedForAgainOfASocketThatTakesNoOptions() {
        wire.refuseOptions();
        Call call = begin();
        pushAfter(79, call);
        assertAsked(1, "it is not known yet");

        pushAfter(79, call);
        assertAsked(1, "it was refused");
    }

    @Test
    void isLeftToTheSystemWhereCallsAreAnswered() {
        for (int stream = 1; stream < 20; stream += 2) {
            wire.send(open(stream), data(stream, END_STREAM, message("question")));
            wire.calls.get(wire.calls.size() - 1).call.answer(payload("answer"));
            assertThat(wire.frames()).last().extracting(Frame::type).isEqualTo(HEADERS);
        }

        assertAsked(0, "an answer is not answered");
    }
}
