package io.cairn.cli;

import io.cairn.cli.Failure.Remedy;
import io.cairn.cli.migrate.ConfigStore;
import io.cairn.cli.migrate.Pace;
import io.cairn.cli.migrate.SideException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One server of a bridge: its address, login and API. Its failures are {@link SideException}. Thread-safe; blocks. */
final class BridgeServer {

    enum Dialect {
        /** Nacos 1.x and 2.x. */
        V1,
        /** Nacos 3.x and Cairn. */
        V3
    }

    private static final Set<Integer> KNOWN = Set.of(200, 401, 403);

    private final String option;
    private final Supplier<Api> login;
    private final Pace pace;
    private volatile @Nullable Api api;
    private volatile @Nullable Dialect dialect;
    private volatile @Nullable Boolean cairn;
    private volatile @Nullable Boolean httpOnly;

    BridgeServer(String option, Supplier<Api> login, Pace pace) {
        this.option = option;
        this.login = login;
        this.pace = pace;
    }

    private Api api() {
        Api present = api;
        if (present == null) {
            present = login.get();
            api = present;
        }
        return present;
    }

    int perSecond() {
        return pace.perSecond();
    }

    String address() {
        return call(Api::base);
    }

    Dialect dialect() {
        Dialect known = dialect;
        if (known == null) {
            known = certainStatus("/v3/admin/core/state") == 200 ? Dialect.V3 : Dialect.V1;
            dialect = known;
        }
        return known;
    }

    boolean isCairn() {
        Boolean known = cairn;
        if (known == null) {
            // A path that Nacos lacks; without the right to it the answer is 401 or 403.
            known = dialect() == Dialect.V3 && KNOWN.contains(certainStatus("/v3/admin/core/attention"));
            cairn = known;
        }
        return known;
    }

    /** Whether the server is a Nacos 1.x, which has no gRPC port; false if its version is unknown. */
    boolean isHttpOnly() {
        Boolean known = httpOnly;
        if (known == null) {
            known = dialect() == Dialect.V1 && version().startsWith("1.");
            httpOnly = known;
        }
        return known;
    }

    private String version() {
        HttpResponse<String> console = certain("/v1/console/server/state");
        String version = console.statusCode() == 200 ? Json.text(json(console.body()), "version") : "";
        if (!version.isEmpty()) {
            return version;
        }
        HttpResponse<String> nodes = certain("/v1/core/cluster/nodes");
        if (nodes.statusCode() != 200) {
            return "";
        }
        for (Object node : Json.items(Json.fields(json(nodes.body())).get("data"))) {
            String said = Json.text(Json.fields(node).get("extendInfo"), "version");
            // The list of Nacos 1.3 lacks the version; from 2.0 on it has abilities.
            return said.isEmpty() && !Json.fields(node).containsKey("abilities") ? "1.3" : said;
        }
        return "";
    }

    private int certainStatus(String path) {
        return certain(path).statusCode();
    }

    /** @throws SideException for a status that does not depend on the path */
    private HttpResponse<String> certain(String path) {
        HttpResponse<String> response =
                send(asked -> asked.request(path, Map.of()).GET());
        int status = response.statusCode();
        if (status == 429 || status >= 500) {
            throw failed(Api.refused(response));
        }
        return response;
    }

    ConfigStore configs(List<String> tags) {
        return dialect() == Dialect.V3 ? new V3Configs(this, tags) : new V1Configs(this, tags);
    }

    /** Any response, also of an error; logs in again once if the login has ended. */
    HttpResponse<String> send(Function<Api, HttpRequest.Builder> request) {
        return call(asked -> {
            HttpResponse<String> response = sendPaced(asked, request);
            if ((response.statusCode() == 401 || response.statusCode() == 403) && asked.hasToken()) {
                Api again = login.get();
                api = again;
                return sendPaced(again, request);
            }
            return response;
        });
    }

    private HttpResponse<String> sendPaced(Api asked, Function<Api, HttpRequest.Builder> request) {
        try {
            pace.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Failure("interrupted", e);
        }
        return asked.send(request.apply(asked));
    }

    private <T> T call(Function<Api, T> request) {
        try {
            return request.apply(api());
        } catch (Failure e) {
            throw failed(e);
        }
    }

    private SideException failed(Failure failure) {
        String message = String.valueOf(failure.getMessage()).replace("--server", option);
        if (!option.equals("--server") && message.endsWith(Api.LOG_IN)) {
            message = message.replace(
                    Api.LOG_IN,
                    " (log in as a user with this right, by " + option + "-user or " + option + "-token-file)");
        }
        return new SideException(message, failure.remedy() == Remedy.PATIENCE, failure);
    }

    Optional<String> find(String path, Map<String, String> parameters) {
        HttpResponse<String> response =
                send(asked -> asked.request(path, parameters).GET());
        return response.statusCode() == 404 ? Optional.empty() : Optional.of(text(response));
    }

    String get(String path, Map<String, String> parameters) {
        return text(send(asked -> asked.request(path, parameters).GET()));
    }

    String post(String path, Map<String, String> form) {
        return text(send(asked -> asked.form("POST", path, form)));
    }

    String delete(String path, Map<String, String> parameters) {
        return text(send(asked -> asked.request(path, parameters).DELETE()));
    }

    String text(HttpResponse<String> response) {
        if (response.statusCode() != 200) {
            throw failed(Api.refused(response));
        }
        return response.body();
    }

    @Nullable
    Object data(HttpResponse<String> response) {
        return call(asked -> Api.data(response));
    }

    @Nullable
    Object json(String text) {
        return call(asked -> Json.read(text));
    }
}
