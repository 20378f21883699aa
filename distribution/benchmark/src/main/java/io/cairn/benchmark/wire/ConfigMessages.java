package io.cairn.benchmark.wire;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.util.List;
import java.util.stream.Collectors;

/** The config requests as the Java SDK writes them, in the default namespace, and their HTTP v1 counterparts. */
public final class ConfigMessages {
    public static final String GROUP = "CAIRN_BENCHMARK";

    /** Ends the JSON that {@link #publishHead} begins. */
    public static final byte[] PUBLISH_TAIL =
            "\",\"additionMap\":{\"encryptedDataKey\":\"\",\"type\":\"text\"},\"module\":\"config\"}"
                    .getBytes(US_ASCII);

    public static final String PUBLISH = "ConfigPublishRequest";

    private ConfigMessages() {}

    public static byte[] query(String dataId) {
        return Envelope.write(
                "ConfigQueryRequest",
                "{\"headers\":{}," + key(dataId) + ",\"tenant\":\"\",\"notify\":false,\"module\":\"config\"}");
    }

    /** The JSON of a publish up to its content, which follows escaped, and then {@link #PUBLISH_TAIL}. */
    public static byte[] publishHead(String dataId) {
        return ("{\"headers\":{}," + key(dataId) + ",\"tenant\":\"\",\"content\":\"").getBytes(US_ASCII);
    }

    public static byte[] remove(String dataId) {
        return Envelope.write(
                "ConfigRemoveRequest", "{\"headers\":{}," + key(dataId) + ",\"tenant\":\"\",\"module\":\"config\"}");
    }

    /** One config and the digest of the content that the listener has; empty for none. */
    public record Listen(String dataId, String md5) {}

    public static byte[] listen(List<Listen> listens) {
        String contexts = listens.stream()
                .map(one -> "{" + key(one.dataId) + ",\"tenant\":\"\",\"md5\":\"" + one.md5 + "\"}")
                .collect(Collectors.joining(","));
        return Envelope.write(
                "ConfigBatchListenRequest",
                "{\"headers\":{},\"listen\":true,\"configListenContexts\":[" + contexts + "],\"module\":\"config\"}");
    }

    private static String key(String dataId) {
        return "\"dataId\":\"" + dataId + "\",\"group\":\"" + GROUP + "\"";
    }

    public static byte[] httpGet(String host, String dataId) {
        return ("GET /nacos/v1/cs/configs?dataId=" + dataId + "&group=" + GROUP + " HTTP/1.1\r\n" + "Host: " + host
                        + "\r\n\r\n")
                .getBytes(US_ASCII);
    }

    /**
     * A page of a search among names, as the console of Nacos 1.x and 2.x asks.
     *
     * @param pattern of data ids, with {@code *} for anything; needs no URL encoding
     */
    public static byte[] httpSearch(String host, String pattern, int page) {
        return ("GET /nacos/v1/cs/configs?search=" + (pattern.contains("*") ? "blur" : "accurate") + "&dataId="
                        + pattern + "&group=" + GROUP + "&pageNo=" + page + "&pageSize=20 HTTP/1.1\r\nHost: " + host
                        + "\r\n\r\n")
                .getBytes(US_ASCII);
    }

    /** @param content needs no URL encoding */
    public static byte[] httpPublish(String host, String dataId, String content) {
        return form(
                host,
                "/nacos/v1/cs/configs",
                "",
                "dataId=" + dataId + "&group=" + GROUP + "&type=text&content=" + content);
    }

    /** A listening poll that the server parks for up to half a second less than the timeout. */
    public static byte[] httpListen(String host, List<Listen> listens, long timeoutMillis) {
        String records = listens.stream()
                .map(one -> one.dataId + "%02" + GROUP + "%02" + one.md5 + "%01")
                .collect(Collectors.joining());
        return form(
                host,
                "/nacos/v1/cs/configs/listener",
                "Long-Pulling-Timeout: " + timeoutMillis + "\r\n",
                "Listening-Configs=" + records);
    }

    private static byte[] form(String host, String path, String headers, String body) {
        return ("POST " + path + " HTTP/1.1\r\nHost: " + host + "\r\n" + headers
                        + "Content-Type: application/x-www-form-urlencoded;charset=UTF-8\r\nContent-Length: "
                        + body.length() + "\r\n\r\n" + body)
                .getBytes(US_ASCII);
    }
}
