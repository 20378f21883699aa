package io.cairn.server.http.naming;

import io.cairn.api.naming.ServiceKey;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.route.Endpoints;
import io.cairn.server.http.route.Parameter;
import io.cairn.server.http.route.RequestCaller;
import io.cairn.server.naming.view.ServiceView;
import io.cairn.server.subscription.Selection;
import io.cairn.server.subscription.udp.UdpSubscribers;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The instance list of versions 1 and 2, for clients with UDP pushes. */
public final class InstanceListEndpoint implements Endpoints.Action<ServiceKey> {

    public static final Parameter<String> CLUSTERS = Parameter.text(
                    "clusters", "The clusters, separated by commas; all when absent")
            .orNone();
    public static final Parameter<String> CLIENT_IP = address("clientIP");
    public static final Parameter<String> UDP_PORT = port("udpPort");

    /** As version 2 names {@link #CLIENT_IP}. */
    public static final Parameter<String> IP = address("ip");

    /** As version 2 names {@link #UDP_PORT}. */
    public static final Parameter<String> PORT = port("port");

    static final Parameter<String> APP =
            Parameter.text("app", "The application of the client").orNone();

    private final UdpSubscribers udp;
    private final Reading reading;
    private final ServiceView.Form kept;
    private final Function<ServiceView, HttpResponse> response;

    /**
     * How a version reads the request.
     *
     * @param clusters reads and checks comma-separated names; null for all
     * @param ip parameter of the client's address
     * @param port parameter of the client's UDP port
     */
    public record Reading(
            Function<HttpRequest, @Nullable String> clusters, Parameter<String> ip, Parameter<String> port) {}

    private static Parameter<String> address(String name) {
        return Parameter.text(name, "The address of the client; that of the connection when absent")
                .orNone();
    }

    /** Not a number before it is read, so that no list pays for an object. */
    private static Parameter<String> port(String name) {
        return Parameter.text(name, "The UDP port of the client, for notifications of changes; 0 or absent for none")
                .orNone()
                .typed("integer");
    }

    /**
     * @param kept the kind of response kept with the view, so that the same list costs nothing again
     * @param wording wraps the list
     */
    public InstanceListEndpoint(UdpSubscribers udp, Reading reading, ServiceView.Form kept, ResponseWording wording) {
        this.udp = udp;
        this.reading = reading;
        this.kept = kept;
        this.response = view -> wording.response(view.info(view.groupedName()));
    }

    @Override
    public CompletionStage<HttpResponse> handle(ServiceKey service, HttpRequest request) {
        String clusters = reading.clusters.apply(request);
        String named = reading.port.orNull(request);
        int port = named == null ? 0 : Parameter.number(named, reading.port.name());
        boolean healthyOnly = InstanceEndpoints.HEALTHY_ONLY.of(request);
        ServiceView view = list(request, new Selection(service, clusters == null ? "" : clusters), healthyOnly, port);
        return CompletableFuture.completedFuture(
                NamingParameters.seenBy(request, reading.ip, view).answer(kept, response));
    }

    private ServiceView list(HttpRequest request, Selection selection, boolean healthyOnly, int port) {
        String ip = reading.ip.orNull(request);
        String app = APP.orNull(request);
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
