package io.cairn.server.http;

import io.cairn.server.admission.ConnectionAdmission;
import io.cairn.server.limit.AddressLoad;
import io.cairn.server.tls.CertifiedUser;
import io.cairn.server.tls.ServerTls;
import io.netty.channel.Channel;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The connection that requests come from, as all of its requests see it.
 *
 * @param remoteIp the address of the client; empty when it has none
 * @param loop the event loop of the connection
 * @param certified the user that the certificate of the connection names; null when none does
 * @param load of the address; null where it is not known
 */
record RequestSource(
        String remoteIp,
        Executor loop,
        @Nullable CertifiedUser certified,
        @Nullable AddressLoad load) {

    /** The source of a connection whose handshake is over. */
    static RequestSource of(Channel channel, String remoteIp) {
        return new RequestSource(
                remoteIp, channel.eventLoop(), ServerTls.userOf(channel), ConnectionAdmission.loadOf(channel));
    }
}
