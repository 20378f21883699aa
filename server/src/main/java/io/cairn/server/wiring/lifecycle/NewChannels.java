package io.cairn.server.wiring.lifecycle;

import io.cairn.server.admission.ConnectionAdmission;
import io.cairn.server.admission.StandstillGate;
import io.cairn.server.http.HttpRefusal;
import io.cairn.server.timer.Standstill;
import io.netty.channel.Channel;

/** Admits or refuses new connections of both ports, and begins their encryption. */
public record NewChannels(ConnectionAdmission admission, Standstill standstill, TlsLifecycle tls) {

    public void openHttp(Channel channel) {
        String refusal = admission.enter(channel);
        if (refusal != null) {
            HttpRefusal.answer(channel, refusal);
        } else {
            tls.prepareHttp(channel);
            addGate(channel);
        }
    }

    public void openRpc(Channel channel) {
        if (admission.enter(channel) != null) {
            ConnectionAdmission.refuse(channel);
        } else {
            tls.prepareRpc(channel);
            addGate(channel);
        }
    }

    private void addGate(Channel channel) {
        channel.pipeline().addFirst(new StandstillGate(standstill));
    }
}
