package io.cairn.cli;

import static io.cairn.cli.Api.parameters;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ContentDigest;
import io.cairn.api.config.Namespace;
import io.cairn.cli.migrate.ConfigState;
import io.cairn.cli.migrate.ConfigStore;
import io.cairn.cli.migrate.GrayRelease;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** The configurations of a Nacos 1.x or 2.x. */
final class V1Configs implements ConfigStore {

    private static final List<String> CLEARED = List.of("desc", "config_tags", "appName");
    private static final String PATH = "/v1/cs/configs";
    /** Each item of a page has its content. */
    private static final int PAGE = 100;

    private final BridgeServer server;
    private final List<String> tags;

    V1Configs(BridgeServer server, List<String> tags) {
        this.server = server;
        this.tags = List.copyOf(tags);
    }

    private static String tenant(Namespace namespace) {
        return namespace.isDefault() ? "" : namespace.id();
    }

    private static Map<String, String> keyed(ConfigKey key) {
        return parameters("dataId", key.dataId(), "group", key.group(), "tenant", tenant(key.namespace()));
    }

    @Override
    public void list(Namespace namespace, BiConsumer<ConfigKey, String> each) {
        for (int page = 1; ; page++) {
            Map<String, String> asked = parameters(
                    "search", "accurate", "tenant", tenant(namespace), "pageNo", "" + page, "pageSize", "" + PAGE);
            asked.put("dataId", "");
            asked.put("group", "");
            Object found = server.json(server.get(PATH, asked));
            List<?> items = Json.items(Json.fields(found).get("pageItems"));
            for (Object item : items) {
                each.accept(
                        new ConfigKey(namespace, Json.text(item, "group"), Json.text(item, "dataId")),
                        ContentDigest.of(Json.text(item, "content")).toString());
            }
            if (items.isEmpty() || page >= Long.parseLong(Json.text(found, "pagesAvailable"))) {
                return;
            }
        }
    }

    @Override
    public Optional<ConfigState> read(ConfigKey key) {
        Map<String, String> asked = keyed(key);
        asked.put("show", "all");
        Optional<String> text = server.find(PATH, asked).filter(body -> !body.isBlank());
        if (text.isEmpty()) {
            return Optional.empty();
        }
        Object found = server.json(text.get());
        if (found == null) {
            return Optional.empty();
        }
        String modified = Json.text(found, "modifyTime");
        return Optional.of(new ConfigState(
                key,
                Json.text(found, "content"),
                Json.text(found, "type"),
                Json.text(found, "desc"),
                Json.text(found, "configTags"),
                Json.text(found, "appName"),
                Json.text(found, "encryptedDataKey"),
                grays(key),
                false,
                modified.isEmpty() ? 0 : Long.parseLong(modified)));
    }

    private List<GrayRelease> grays(ConfigKey key) {
        List<GrayRelease> grays = new ArrayList<>();
        Map<String, String> asked = keyed(key);
        asked.put("beta", "true");
        @Nullable
        Object beta = server.find(PATH, asked)
                .filter(body -> !body.isBlank())
                .map(body -> Json.fields(server.json(body)).get("data"))
                .orElse(null);
        if (beta != null) {
            grays.add(new GrayRelease(
                    GrayRelease.BETA, GrayRelease.BETA, Json.text(beta, "betaIps"), Json.text(beta, "content")));
        }
        for (String tag : tags) {
            Map<String, String> tagged = keyed(key);
            tagged.put("tag", tag);
            HttpResponse<String> response =
                    server.send(asking -> asking.request(PATH, tagged).GET());
            if (response.statusCode() == 404) {
                continue;
            }
            String content = server.text(response);
            // Without a release Nacos 2 answers with the formal content. Nacos 1 has no header.
            if (server.isHttpOnly() || response.headers().firstValue("tag").isPresent()) {
                grays.add(new GrayRelease(GrayRelease.TAG, "tag_" + tag, tag, content));
            }
        }
        return grays;
    }

    @Override
    public boolean write(ConfigState state, Optional<ConfigState> present) {
        Map<String, String> form = form(state, state.content());
        // An empty value clears a stored one, and no value keeps it.
        present.ifPresent(stored -> CLEARED.forEach(name -> form.putIfAbsent(name, "")));
        String expected = present.map(ConfigState::md5).orElse("absent");
        if (!GrayReleases.isStored(
                server, asked -> asked.form("POST", PATH, form).header("casMd5", expected))) {
            return false;
        }
        for (GrayRelease gray : state.grays()) {
            Map<String, String> release = form(state, gray.content());
            if (gray.kind().equals(GrayRelease.BETA)) {
                server.text(
                        server.send(asked -> asked.form("POST", PATH, release).header("betaIps", gray.rule())));
            } else if (gray.kind().equals(GrayRelease.TAG)) {
                release.put("tag", gray.rule());
                server.post(PATH, release);
            }
        }
        for (GrayRelease gone : GrayReleases.ended(state, present, tags)) {
            Map<String, String> asked = keyed(state.key());
            asked.put(
                    gone.kind().equals(GrayRelease.BETA) ? "beta" : "tag",
                    gone.kind().equals(GrayRelease.BETA) ? "true" : gone.rule());
            server.delete(PATH, asked);
        }
        return true;
    }

    private static Map<String, String> form(ConfigState state, String content) {
        Map<String, String> form = keyed(state.key());
        form.putAll(parameters(
                "content",
                content,
                "type",
                state.type(),
                "desc",
                state.description(),
                "config_tags",
                state.tags(),
                "appName",
                state.application(),
                "encryptedDataKey",
                state.encryptedDataKey()));
        return form;
    }

    @Override
    public void delete(ConfigKey key) {
        server.delete(PATH, keyed(key));
    }

    @Override
    public Set<ConfigKey> awaitChange(Map<ConfigKey, String> known, Duration wait) {
        return LongPoll.await(server, known, wait);
    }
}
