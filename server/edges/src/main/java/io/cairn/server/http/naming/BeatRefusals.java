package io.cairn.server.http.naming;

import io.cairn.api.error.CairnException;
import io.cairn.api.naming.InstanceKey;
import io.cairn.server.auth.Denial;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.route.HttpAuthorizer;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.naming.RefusedBeats;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Notes for which instances heartbeats and registrations over HTTP are refused. */
public final class BeatRefusals implements HttpAuthorizer.Refusals {

    private static final Set<String> BEATS = Set.of("PUT /v1/ns/instance/beat", "PUT /v2/ns/instance/beat");
    private static final Set<String> REGISTRATIONS =
            Set.of("POST /v1/ns/instance", "POST /v2/ns/instance", "POST /v3/client/ns/instance");

    private final RefusedBeats beats;

    public BeatRefusals(RefusedBeats beats) {
        this.beats = beats;
    }

    @Override
    public void refused(
            HttpRequest request, HttpRoute route, @Nullable String user, boolean isVerified, Denial denial) {
        String name = route.method() + ' ' + route.path();
        boolean isBeat = BEATS.contains(name);
        if (!isBeat && !REGISTRATIONS.contains(name)) {
            return;
        }
        try {
            if (isBeat || NamingParameters.flag(request, "ephemeral", true)) {
                beats.refused(user, isVerified, denial.text(), NamingParameters.service(request), instance(request));
            }
        } catch (CairnException | IllegalArgumentException e) {
            // The request names no instance; it is refused for its sender, and nothing is affected.
            return;
        }
    }

    private static InstanceKey instance(HttpRequest request) {
        String beat = NamingParameters.text(request, "beat");
        return beat == null
                ? NamingParameters.instanceKey(request)
                : BeatEndpoint.key(request, InstanceActions.readBeat(beat));
    }
}
