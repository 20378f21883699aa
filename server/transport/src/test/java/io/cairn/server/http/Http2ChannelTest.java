package io.cairn.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.cairn.server.compress.SharedCompression;
import io.cairn.server.limit.Limit;
import io.cairn.server.testing.EqualLimits;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.DecoderException;
import java.io.IOException;
import java.net.SocketException;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class Http2ChannelTest {

    private static final Limit ANY = new Limit("any", "", 100);
    private static final HttpMemory MEMORY = new HttpMemory(null, null, 1, 1, EqualLimits.of(ANY));

    /** A failure that reaches the end of the pipeline is logged as a warning with a stack trace, for each such client. */
    @ParameterizedTest
    @ValueSource(classes = {IOException.class, SocketException.class})
    void closesALostConnectionWithoutAWarning(Class<? extends IOException> failure) throws Exception {
        brokenBy(failure.getConstructor(String.class).newInstance("Connection reset by peer"));
    }

    @Test
    void aBrokenEncryptionEndsTheSame() {
        brokenBy(new DecoderException(new SSLException("bad record MAC")));
    }

    private static void brokenBy(Exception failure) {
        EmbeddedChannel channel = new EmbeddedChannel(
                Http2Channel.create(null, 10, MEMORY, new ResponseCompression(new SharedCompression(Runnable::run))));

        channel.pipeline().fireExceptionCaught(failure);

        assertThatCode(channel::checkException).doesNotThrowAnyException();
        assertThat(channel.isOpen()).isFalse();
        channel.finishAndReleaseAll();
    }
}
