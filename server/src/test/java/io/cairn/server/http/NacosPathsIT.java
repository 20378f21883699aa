package io.cairn.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.support.CairnExtension;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Paths that few users of Nacos call: the address server, labels of addresses, SQL for the embedded database. */
class NacosPathsIT {

    @TempDir
    static Path folder;

    @RegisterExtension
    static final CairnExtension cairn = CairnExtension.temporary();

    @Test
    void listsOfTheAddressServerAreFilledReadAndEmptied() throws Exception {
        Map<String, String> form =
                Map.of("product", "shop", "cluster", "blue", "ips", "10.0.0.1,10.0.0.2:9000, [::1]:7");
        HttpResponse<String> put = cairn.post("/v1/as/nodes", form);
        assertThat(put.statusCode()).as(put.body()).isEqualTo(200);
        assertThat(put.body()).isEqualTo("product=shop,cluster=blue; put success with size=3");

        HttpResponse<String> list = atRoot("/shop/blue");
        assertThat(list.statusCode()).isEqualTo(200);
        assertThat(list.body().lines()).containsExactlyInAnyOrder("10.0.0.1:8848", "10.0.0.2:9000", "[::1]:7");
        assertThat(list.headers().firstValue("Content-Type").orElse("")).startsWith("text/plain");

        cairn.post("/v1/as/nodes", Map.of("product", "shop", "ips", "10.0.0.9"));
        assertThat(atRoot("/shop/serverlist").body()).isEqualTo("10.0.0.9:8848\n");
        cairn.post("/v1/as/nodes", Map.of("cluster", "other", "ips", "10.0.0.8"));
        assertThat(atRoot("/nacos/other").body()).isEqualTo("10.0.0.8:8848\n");

        HttpResponse<String> removed =
                cairn.delete("/v1/as/nodes?product=shop&cluster=blue&ips=10.0.0.1,10.0.0.2:9000,[::1]:7"
                        .replace("[", "%5B")
                        .replace("]", "%5D"));
        assertThat(removed.body()).isEqualTo("product=shop, cluster=blue delete success.");
        assertThat(atRoot("/shop/blue").body()).isEmpty();
    }

    @Test
    void listsThatDoNotExistAreNotFoundAndWrongOnesAreRefused() throws Exception {
        assertThat(atRoot("/nobody/serverlist").statusCode()).isEqualTo(404);
        assertThat(atRoot("/nacos/nobody").statusCode()).isEqualTo(404);
        assertThat(cairn.delete("/v1/as/nodes?product=nobody&ips=10.0.0.1").statusCode())
                .isEqualTo(404);
        assertThat(cairn.post("/v1/as/nodes", Map.of("product", "shop")).statusCode())
                .isEqualTo(400);
        assertThat(cairn.post("/v1/as/nodes", Map.of("product", "a b", "ips", "10.0.0.1"))
                        .statusCode())
                .isEqualTo(400);
        assertThat(cairn.post("/v1/as/nodes", Map.of("product", "shop", "ips", "10.0.0.1:99999"))
                        .statusCode())
                .isEqualTo(400);
        HttpResponse<String> own = cairn.post("/v1/as/nodes", Map.of("ips", "10.0.0.1"));
        assertThat(own.statusCode()).isEqualTo(400);
        assertThat(own.body()).contains("list of the nodes of this server");
        assertThat(cairn.get("/serverlist").body()).doesNotContain("10.0.0.1");
    }

    @Test
    void aFileOfSqlIsNotRun() {
        HttpResponse<String> refused = cairn.post("/v1/cs/ops/data/removal", Map.of("file", "DELETE FROM users"));

        assertThat(refused.statusCode()).isEqualTo(200);
        assertThat(refused.body()).startsWith("{\"code\":500,\"message\":\"Limited to embedded storage mode");
    }

    @Test
    void theLabelOfAnAddressIsItsText() throws Exception {
        Files.writeString(folder.resolve("labels.json"), "{\"10.0.0.0/24\":{\"site\":\"north\"}}");
        CairnExtension labelled = CairnExtension.temporary()
                .with("cairn.naming.labels-file", folder.resolve("labels.json").toString());
        labelled.beforeAll(null);
        try {
            assertThat(labelled.get("/v1/cmdb/ops/label?entry=10.0.0.7&label=site")
                            .body())
                    .isEqualTo("north");
            assertThat(labelled.get("/v1/cmdb/ops/label?entry=10.0.1.7&label=site")
                            .body())
                    .isEmpty();
            assertThat(labelled.get("/v1/cmdb/ops/label?entry=10.0.0.7").statusCode())
                    .isEqualTo(400);
        } finally {
            labelled.afterAll(null);
        }
    }

    private static HttpResponse<String> atRoot(String path) throws Exception {
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create(
                                        "http://127.0.0.1:" + cairn.server().httpPort() + path))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
    }
}
