package io.cairn.server.http;

import io.cairn.server.http.RecordedAnswers.Deviation;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Where the answers on configurations, namespaces and the server itself differ from the recorded ones, and why. */
final class RecordedConfigDeviations {

    private static final String ANY = "{\"body\":null}";

    private static final String ONE_PORT =
            "{\"status\":200,\"headers\":{\"Content-Type\":\"application/json\"},\"body\":null}";
    private static final String ABSENT =
            "{\"status\":404,\"headers\":{\"Content-Type\":\"application/json\"},\"body\":null}";

    static final Map<String, Deviation> ALL = all();

    private RecordedConfigDeviations() {}

    private static Map<String, Deviation> all() {
        Map<String, Deviation> all = new LinkedHashMap<>();
        for (String name : List.of("3.admin.state", "3.console.server.state")) {
            all.put(name, new Deviation(ANY, "version and port are its own; another test compares the names"));
        }
        for (String name : List.of("2.loader.cluster", "3.admin.loader.cluster")) {
            all.put(name, new Deviation(ANY, "figures and address are its own; another test compares them"));
        }
        for (String name :
                List.of("3.admin.config.list", "3.admin.config.list.detail", "3.admin.config.list.no-params")) {
            all.put(name, new Deviation(ANY, "the times are those of the configuration instead of 0"));
        }
        for (String name :
                List.of("3.admin.on-console-port", "3.client.on-console-port", "3.nacos-prefix.on-console-port")) {
            all.put(name, new Deviation(ONE_PORT, "one port serves all there is"));
        }
        all.put("3.console.unknown", new Deviation(ABSENT, "one port serves all there is, and says so in one way"));
        all.put("3.v2.namespace.list", new Deviation("{\"status\":200,\"body\":null}", "one port serves all there is"));
        all.put(
                "3.admin.config.import.garbage",
                new Deviation(
                        "{\"status\":200,\"body\":{\"code\":100005,\"message\":\"Imported file data is empty: "
                                + "The file is no zip archive (expected: a zip archive, as an export is one)\","
                                + "\"data\":{\"succCount\":0}}}",
                        "the reference answers with the text of a null pointer"));
        all.put(
                "3.main.method",
                new Deviation(
                        "{\"headers\":{\"Content-Type\":\"application/json\",\"Allow\":\"DELETE, GET, POST\"}}",
                        "methods are told in their order"));
        all.put(
                "2.method",
                new Deviation(
                        "{\"headers\":{\"Content-Type\":\"application/json\",\"Allow\":\"DELETE, GET, POST\"}}",
                        "tells the methods that there are"));
        all.put(
                "2.config.get.namespace-public",
                new Deviation(
                        "{\"status\":200,\"headers\":{\"Config-Type\":\"yaml\",\"Content-MD5\":\"270f9e65a80226eccd82c99cdd0dd2fb\","
                                + "\"Pragma\":\"no-cache\",\"Expires\":\"Thu, 01 Jan 1970 00:00:00 GMT\","
                                + "\"Cache-Control\":\"no-cache,no-store\",\"Last-Modified\":\"<http-date>\","
                                + "\"Encrypted-Data-Key\":\"\",\"Content-Type\":\"application/json;charset=UTF-8\"},"
                                + "\"body\":{\"code\":0,\"message\":\"success\",\"data\":\"a: 1\"}}",
                        "2.5.1 takes the namespace public for another one; it is the default one"));
        all.put("2.config.searchDetail", new Deviation(ANY, "md5 is told where the reference has null"));
        all.put("2.ns.list", new Deviation(ANY, "there are other configurations"));
        return all;
    }
}
