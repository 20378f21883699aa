package io.cairn.server.http.route;

import java.util.LinkedHashMap;
import java.util.Map;

/** The objects that answers are made of, by name: their fields, in the notation of {@link Operation#of}. */
final class Shapes {

    static final Map<String, String> ALL = all();

    private Shapes() {}

    private static Map<String, String> all() {
        Map<String, String> shapes = new LinkedHashMap<>();
        shapes.put(
                "Namespace",
                "namespace namespaceShowName namespaceDesc quota:integer configCount:integer type:integer");
        shapes.put(
                "Member",
                "ip port:integer state extendInfo:object address failAccessCnt:integer abilities:object"
                        + " grpcReportEnabled:boolean");
        shapes.put("Limit", "name setting used:integer max:integer exceeded:integer");
        shapes.put("Finding", "kind urgent:boolean subject groupName detail used:integer max:integer");
        shapes.put(
                "Process",
                "version pid:integer startTime:integer javaVersion javaHome home dataFolder diskFree:integer"
                        + " diskTotal:integer logFile maxHeap:integer openFiles:integer maxOpenFiles:integer");
        shapes.put("PushLatency", "periodSeconds:integer config:array service:array");
        shapes.put("Connection", "traced:boolean abilityTable:object metaInfo:object");
        shapes.put(
                "Load",
                "detail:array memberCount:integer metricsCount:integer completed:boolean max:integer min:integer"
                        + " avg:integer threshold total:integer");
        shapes.put("Restored", "restored:boolean accounts:boolean version:integer cairn at sections:array");
        return shapes;
    }
}
