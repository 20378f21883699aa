package io.cairn.server.http.route;

import java.util.LinkedHashMap;
import java.util.Map;

/** The objects that answers are made of, by name: their fields, in the notation of {@link Operation#of}. */
final class Shapes {

    private static final String CONFIG =
            "id namespaceId groupName dataId md5 type appName createTime:integer modifyTime:integer ";
    private static final String HISTORY = CONFIG + "srcIp srcUser opType publishType ";

    static final Map<String, String> ALL = all();

    private Shapes() {}

    private static Map<String, String> all() {
        Map<String, String> shapes = new LinkedHashMap<>();
        shapes.put("Config", CONFIG + "desc configTags grayReleases:array");
        shapes.put(
                "ConfigDetail",
                CONFIG + "content desc encryptedDataKey createUser createIp configTags grayReleases:array");
        shapes.put(
                "GrayConfig",
                CONFIG + "content desc encryptedDataKey createUser createIp configTags grayName grayRule");
        shapes.put("History", HISTORY);
        shapes.put("HistoryDetail", HISTORY + "content encryptedDataKey grayName extInfo");
        shapes.put("Listeners", "queryType listenersStatus:object");
        shapes.put(
                "Capacity",
                "id quota:integer usage:integer maxSize:integer maxAggrCount:integer maxAggrSize:integer"
                        + " gmtCreate gmtModified groupName namespaceId");
        shapes.put(
                "ReadConfig",
                "resultCode:integer errorCode:integer message requestId content encryptedDataKey contentType md5"
                        + " lastModified:integer tag beta:boolean success:boolean");
        shapes.put("Transferred", "succCount:integer skipCount:integer failData:array skipData:array");
        shapes.put(
                "OldConfig", "id dataId group content md5 encryptedDataKey tenant appName type lastModified:integer");
        shapes.put(
                "OldHistory",
                "id lastId:integer dataId group tenant appName md5 content srcIp srcUser opType publishType grayName"
                        + " extInfo createdTime lastModifiedTime encryptedDataKey");
        shapes.put("Watcher", "clientIp connectionId client md5 current:boolean");
        shapes.put("Change", "namespaceId groupName dataId outcome revision:integer md5");
        shapes.put("Comparison", "fromMd5 toMd5 same:boolean diff diffIsCut:boolean");
        shapes.put("ValueAtTime", "time:integer existed:boolean md5 content");
        return shapes;
    }
}
