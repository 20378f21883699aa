package io.cairn.server.http;

import io.cairn.server.admission.AnswerMemory;
import io.cairn.server.admission.ConnectionAdmission;
import io.cairn.server.limit.AddressLoad;
import io.cairn.server.tls.CertifiedUser;
import io.cairn.server.tls.ServerTls;
import io.netty.channel.Channel;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The connection of a request; {@link HttpRequest} has the same values.
 *
 * @param remoteIp empty when absent
 */
record RequestSource(
        String remoteIp,
        Executor loop,
        @Nullable CertifiedUser certified,
        @Nullable AddressLoad load,
        AnswerMemory answers) {

    /** Call after the TLS handshake. */
    static RequestSource of(Channel channel, String remoteIp, AnswerMemory answers) {
        return new RequestSource(
                remoteIp, channel.eventLoop(), ServerTls.userOf(channel), ConnectionAdmission.loadOf(channel), answers);
    }

    static RequestSource unknown(String remoteIp, Executor loop, AnswerMemory answers) {
        return new RequestSource(remoteIp, loop, null, null, answers);
    }
}
