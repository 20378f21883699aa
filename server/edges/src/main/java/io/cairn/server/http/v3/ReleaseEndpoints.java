package io.cairn.server.http.v3;

import io.cairn.api.config.ConfigKey;
import io.cairn.server.auth.Action;
import io.cairn.server.auth.ResourceType;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.config.ConfigForm;
import io.cairn.server.http.config.NamedRelease;
import io.cairn.server.http.config.ReleasePreview;
import io.cairn.server.http.naming.Page;
import io.cairn.server.http.naming.PageParameters;
import io.cairn.server.http.route.ContainerErrors;
import io.cairn.server.http.route.Endpoints;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.Operation;
import io.cairn.server.http.route.RequestCaller;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** The clients of a gray release before it is published. */
public final class ReleaseEndpoints {

    private static final PageParameters PAGE = PageParameters.ofSize(100);

    private static final Operation<ConfigKey> PREVIEW = Operation.of(
                    ConfigForm.V3.names().and(NamedRelease.PARAMETERS).and(PAGE.both()))
            .needs(ConfigForm.WRITE)
            .answers(ReleasePreview.Preview.class)
            .ofAllNodes()
            .says("Counts and lists the connected clients that a release would select, without publishing it");

    private final ReleasePreview preview;
    private final Endpoints endpoints;

    public ReleaseEndpoints(ReleasePreview preview, ContainerErrors container) {
        this.preview = preview;
        this.endpoints = new Endpoints(V3.errors(container));
    }

    public List<HttpRoute> adminRoutes() {
        return List.of(endpoints.get("/v3/admin/cs/config/gray/preview", PREVIEW, this::preview));
    }

    private CompletionStage<HttpResponse> preview(ConfigKey key, HttpRequest http) {
        Page page = PAGE.of(http);
        // As in the list of the proxies.
        boolean seesProxies =
                RequestCaller.of(http).principal().mayEnter(Action.READ, key.namespace(), ResourceType.NAMING);
        return preview.of(key, NamedRelease.required(http).rule()).thenApply(found -> {
            ReleasePreview.Preview all = found.rows().get(0);
            List<ReleasePreview.Client> visible = seesProxies
                    ? all.clients()
                    : all.clients().stream()
                            .filter(client -> !client.hasStream())
                            .toList();
            return V3.ENVELOPE.written(
                    new ReleasePreview.Preview(all.listeners(), all.selected(), all.gets(), page.of(visible)),
                    found.silent());
        });
    }
}
