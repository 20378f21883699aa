package io.cairn.server.http.naming;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.support.CairnExtension;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The ways in which clients spell that there is no metadata. */
class AbsentMetadataIT {

    @RegisterExtension
    static final CairnExtension cairn = CairnExtension.temporary();

    @ParameterizedTest
    @ValueSource(strings = {"null", "%5B%5D", "None", "%7B%7D", ""})
    void takesEachSpellingInEachVersion(String metadata) {
        for (String path : new String[] {"/v1/ns/instance", "/v2/ns/instance", "/v3/admin/ns/instance"}) {
            String instance = path + "?serviceName=s" + path.charAt(2) + "&ip=10.0.0.1&port=80&metadata=" + metadata;
            taken("POST", instance);
            taken("PUT", instance);
            assertThat(cairn.get(path + "/list?serviceName=s" + path.charAt(2)).body())
                    .contains("\"port\":80", "\"metadata\":{}");
        }
        for (String path : new String[] {"/v1/ns/service", "/v2/ns/service", "/v3/admin/ns/service"}) {
            String service =
                    path + "?serviceName=settings" + path.charAt(2) + "&protectThreshold=0.5&metadata=" + metadata;
            taken("POST", service);
            taken("DELETE", service);
        }
        for (String path : new String[] {"/v1/ns/cluster", "/v3/admin/ns/cluster"}) {
            taken(
                    "PUT",
                    path + "?serviceName=s1&clusterName=DEFAULT&checkPort=80&useInstancePort4Check=true"
                            + "&healthChecker=%7B%22type%22%3A%22NONE%22%7D&metadata=" + metadata);
        }
    }

    private static void taken(String method, String target) {
        HttpResponse<String> response = cairn.send(
                HttpRequest.newBuilder(cairn.uri(target)).method(method, HttpRequest.BodyPublishers.noBody()));
        assertThat(response.statusCode())
                .as(method + ' ' + target + ": " + response.body())
                .isEqualTo(200);
    }
}
