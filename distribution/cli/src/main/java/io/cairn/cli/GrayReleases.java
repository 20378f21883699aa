package io.cairn.cli;

import io.cairn.cli.migrate.ConfigState;
import io.cairn.cli.migrate.GrayRelease;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

final class GrayReleases {

    private GrayReleases() {}

    static List<GrayRelease> ended(ConfigState state, Optional<ConfigState> present, List<String> tags) {
        return present.map(ConfigState::grays).orElse(List.of()).stream()
                .filter(old -> old.kind().equals(GrayRelease.BETA)
                        || state.listsTags()
                        || old.kind().equals(GrayRelease.TAG) && tags.contains(old.rule()))
                .filter(old -> state.grays().stream()
                        .noneMatch(now ->
                                now.kind().equals(old.kind()) && now.name().equals(old.name())))
                .toList();
    }

    static boolean isStored(BridgeServer server, Function<Api, HttpRequest.Builder> publish) {
        HttpResponse<String> response = server.send(publish);
        if (response.statusCode() != 200 && response.body().contains("Cas publish")) {
            return false;
        }
        server.text(response);
        return true;
    }
}
