package io.cairn.server.http.naming;

import io.cairn.api.naming.ServiceKey;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.route.Endpoints;
import io.cairn.server.http.route.RequestCaller;
import io.cairn.server.naming.NamingService;
import io.cairn.server.naming.ServiceView;
import io.cairn.server.subscription.Selection;
import io.cairn.server.subscription.udp.UdpSubscribers;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The list of the instances of a service that versions 1 and 2 have, for clients that are notified of changes over UDP. */
public final class InstanceListEndpoint implements Endpoints.Action<ServiceKey> {

    private final NamingService naming;
    private final UdpSubscribers udp;
    private final Reading reading;
    private final ServiceView.Form kept;
    private final Function<ServiceView, HttpResponse> response;

    /**
     * How a version reads the request.
     *
     * @param clusters reads the names of clusters, separated by commas, and checks them; null for all
     * @param ip the parameter with the address of the client
     * @param port the parameter with the UDP port of the client
     */
    public record Reading(Function<HttpRequest, @Nullable String> clusters, String ip, String port) {}

    /**
     * @param kept the kind of response that is kept with the view, whole, so that the same list again costs nothing
     * @param wording wraps the list
     */
    public InstanceListEndpoint(
            NamingService naming, UdpSubscribers udp, Reading reading, ServiceView.Form kept, ResponseWording wording) {
        this.naming = naming;
        this.udp = udp;
        this.reading = reading;
        this.kept = kept;
        this.response = view -> wording.response(view.info(view.groupedName()));
    }

    @Override
    public CompletionStage<HttpResponse> handle(ServiceKey service, HttpRequest request) {
        String clusters = reading.clusters.apply(request);
        int port = NamingParameters.number(request, reading.port, 0);
        boolean healthyOnly = NamingParameters.flag(request, "healthyOnly", false);
        ServiceView view = port > 0
                ? listAndSubscribe(request, new Selection(service, clusters == null ? "" : clusters), healthyOnly, port)
                : naming.view(service, clusters, healthyOnly);
        return CompletableFuture.completedFuture(
                NamingParameters.seenBy(request, reading.ip, view).answer(kept, response));
    }

    private ServiceView listAndSubscribe(HttpRequest request, Selection selection, boolean healthyOnly, int port) {
        String ip = NamingParameters.given(request, reading.ip);
        String app = NamingParameters.given(request, "app");
        String agent = request.header("User-Agent");
        return udp.list(
                selection,
                healthyOnly,
                ip == null ? request.claimedIp() : ip,
                port,
                agent != null ? agent : request.header("Client-Version"),
                app == null ? "unknown" : app,
                RequestCaller.of(request));
    }
}
