package io.cairn.cli;

import static io.cairn.cli.Api.parameters;

import io.cairn.api.config.ConfigKey;
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

/** The configurations of a Nacos 3.x or of Cairn. */
final class V3Configs implements ConfigStore {

    private static final List<String> CLEARED = List.of("desc", "configTags", "appName");
    private static final String PATH = "/v3/admin/cs/config";
    private static final int PAGE = 500;

    private final BridgeServer server;
    private final List<String> tags;
    /** Null until a release is read for the first time: only Cairn lists all of them. */
    private volatile @Nullable Boolean listsGrays;

    V3Configs(BridgeServer server, List<String> tags) {
        this.server = server;
        this.tags = List.copyOf(tags);
    }

    private static Map<String, String> keyed(ConfigKey key) {
        return parameters(
                "dataId",
                key.dataId(),
                "groupName",
                key.group(),
                "namespaceId",
                key.namespace().id());
    }

    private HttpResponse<String> ask(String path, Map<String, String> parameters) {
        return server.send(asked -> asked.request(path, parameters).GET());
    }

    @Override
    public void list(Namespace namespace, BiConsumer<ConfigKey, String> each) {
        for (int page = 1; ; page++) {
            Object found = server.data(ask(
                    PATH + "/list",
                    parameters("namespaceId", namespace.id(), "pageNo", "" + page, "pageSize", "" + PAGE)));
            List<?> items = Json.items(Json.fields(found).get("pageItems"));
            for (Object item : items) {
                each.accept(
                        new ConfigKey(namespace, Json.text(item, "groupName"), Json.text(item, "dataId")),
                        Json.text(item, "md5"));
            }
            if (items.isEmpty() || page >= Long.parseLong(Json.text(found, "pagesAvailable"))) {
                return;
            }
        }
    }

    @Override
    public Optional<ConfigState> read(ConfigKey key) {
        HttpResponse<String> response = ask(PATH, keyed(key));
        if (response.statusCode() == 404) {
            return Optional.empty();
        }
        Object found = server.data(response);
        if (found == null) {
            return Optional.empty();
        }
        List<GrayRelease> grays = grays(key);
        String modified = Json.text(found, "modifyTime");
        return Optional.of(new ConfigState(
                key,
                Json.text(found, "content"),
                Json.text(found, "type"),
                Json.text(found, "desc"),
                Json.text(found, "configTags"),
                Json.text(found, "appName"),
                Json.text(found, "encryptedDataKey"),
                grays,
                Boolean.TRUE.equals(listsGrays),
                modified.isEmpty() ? 0 : Long.parseLong(modified)));
    }

    private List<GrayRelease> grays(ConfigKey key) {
        List<Object> releases = new ArrayList<>();
        if (!Boolean.FALSE.equals(listsGrays)) {
            HttpResponse<String> all = ask(PATH + "/gray", keyed(key));
            listsGrays = all.statusCode() == 200;
            if (all.statusCode() == 200) {
                releases.addAll(Json.items(server.data(all)));
            }
        }
        if (Boolean.FALSE.equals(listsGrays)) {
            HttpResponse<String> beta = ask(PATH + "/beta", keyed(key));
            Object release = beta.statusCode() == 404 ? null : server.data(beta);
            if (release != null) {
                releases.add(release);
            }
        }
        return releases.stream().map(this::gray).toList();
    }

    private GrayRelease gray(Object release) {
        Object rule = server.json(Json.text(release, "grayRule"));
        return new GrayRelease(
                Json.text(rule, "type"),
                Json.text(release, "grayName"),
                Json.text(rule, "expr"),
                Json.text(rule, "priority").isEmpty() ? 0 : Integer.parseInt(Json.text(rule, "priority")),
                Json.text(release, "content"));
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
            } else if (hasReleasesOfCairn()) {
                release.putAll(parameters(
                        "grayName",
                        gray.name(),
                        "grayType",
                        gray.kind(),
                        "grayRuleExp",
                        gray.rule(),
                        "grayPriority",
                        String.valueOf(gray.priority())));
                server.post(PATH, release);
            }
        }
        for (GrayRelease gone : GrayReleases.ended(state, present, tags)) {
            Map<String, String> asked = keyed(state.key());
            if (gone.kind().equals(GrayRelease.BETA)) {
                server.delete(PATH + "/beta", asked);
            } else if (gone.isOfCairn()) {
                asked.put("grayName", gone.name());
                server.delete(PATH, asked);
            } else {
                asked.put("tag", gone.rule());
                server.delete(PATH, asked);
            }
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
                "configTags",
                state.tags(),
                "appName",
                state.application(),
                "encryptedDataKey",
                state.encryptedDataKey()));
        return form;
    }

    @Override
    public boolean hasReleasesOfCairn() {
        return server.isCairn();
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
