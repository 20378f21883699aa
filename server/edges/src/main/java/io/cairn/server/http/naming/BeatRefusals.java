package io.cairn.server.http.naming;

import io.cairn.api.error.CairnException;
import io.cairn.api.naming.InstanceKey;
import io.cairn.server.auth.Denial;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.route.HttpAuthorizer;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.Operation;
import io.cairn.server.naming.lease.RefusedBeats;
import org.jspecify.annotations.Nullable;

/** Records instances with refused HTTP heartbeats and registrations. */
public final class BeatRefusals implements HttpAuthorizer.Refusals {

    private final RefusedBeats beats;

    public BeatRefusals(RefusedBeats beats) {
        this.beats = beats;
    }

    @Override
    public void refused(
            HttpRequest request, HttpRoute route, @Nullable String user, boolean isVerified, Denial denial) {
        Operation<?> operation = route.operation();
        boolean isBeat = operation == BeatEndpoint.BEAT;
        if (!isBeat && operation != InstanceEndpoints.REGISTER && operation != InstanceEndpoints.REGISTER_OR_BEAT) {
            return;
        }
        try {
            if (isBeat || NamingParameters.EPHEMERAL.or(request, true)) {
                beats.refused(user, isVerified, denial.text(), NamingParameters.service(request), instance(request));
            }
        } catch (CairnException | IllegalArgumentException e) {
            // The request names no instance to record.
            return;
        }
    }

    private static InstanceKey instance(HttpRequest request) {
        String beat = BeatEndpoint.BEAT_INFO.orNull(request);
        return beat == null
                ? NamingParameters.instanceKey(request)
                : BeatEndpoint.key(request, InstanceActions.readBeat(beat));
    }
}
