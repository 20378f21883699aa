package io.cairn.server.http.config;

import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.route.Endpoints;
import io.cairn.server.http.route.HttpRoute;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** Publish and deletion of one configuration in versions 2 and 3. */
public final class PublishEndpoints {

    private final ConfigActions actions;
    private final ConfigForm form;
    private final CompletionStage<HttpResponse> done;

    public PublishEndpoints(ConfigActions actions, ConfigForm form, CompletionStage<HttpResponse> done) {
        this.actions = actions;
        this.form = form;
        this.done = done;
    }

    public List<HttpRoute> routes(String path, Endpoints publishing, Endpoints removing) {
        return List.of(
                publishing.post(path, form.publish(), this::publish),
                removing.delete(path, form.remove(), this::remove));
    }

    private CompletionStage<HttpResponse> publish(PublishRequest request, HttpRequest http) {
        String content = request.draft().content();
        if (content == null || content.isBlank()) {
            throw ConfigForm.CONTENT.missing();
        }
        return actions.publish(request, http).thenCompose(published -> done);
    }

    private CompletionStage<HttpResponse> remove(RemoveRequest request, HttpRequest http) {
        return actions.remove(request, http).thenCompose(removed -> done);
    }
}
