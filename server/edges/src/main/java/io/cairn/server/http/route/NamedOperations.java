package io.cairn.server.http.route;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What those endpoints take and answer that are the same in several versions of the API and at several paths, so that it is
 * written once: those of the registry, of health, of logins, and those of version 1 that tell things apart by a parameter. All others declare
 * it themselves.
 */
public final class NamedOperations {

    private static final String SERVICE = "serviceName! groupName namespaceId ";
    private static final String INSTANCE = SERVICE + "ip! port!:integer clusterName cluster ";
    private static final String PUBLISHED = INSTANCE + "weight:number healthy:boolean enabled:boolean enable:boolean"
            + " ephemeral:boolean metadata app ";
    private static final String PATCHED = INSTANCE + "weight:number enabled:boolean metadata ";
    private static final String SETTINGS = SERVICE + "protectThreshold:number metadata selector ";
    private static final String BATCH = SERVICE + "metadata! instances consistencyType";
    private static final String PAGE = "pageNo:integer pageSize:integer ";
    private static final String CLUSTER = SERVICE
            + "clusterName! checkPort!:integer useInstancePort4Check!:boolean healthChecker! metadata healthCheckType";
    private static final String CLIENTS = SERVICE + "ephemeral:boolean ip port:integer";

    private final Map<String, OldOperation> registry = new HashMap<>();
    private final Map<String, OldOperation> others = new HashMap<>();

    public NamedOperations() {
        instances();
        services();
        operations();
        version1();
    }

    /** Version 1 tells apart what is asked for at one path by a parameter. */
    private void version1() {
        String key = "dataId! group! tenant search show beta export exportV2 import clone delType ";
        other(
                "GET /v1/cs/configs",
                "Reads a content; with search, show, beta, export or exportV2 looks up, shows or exports configurations",
                key + "tag appName config_tags config_detail types ids pageNo:integer pageSize:integer"
                        + " @Vipserver-Tag @X-Forwarded-For @X-Real-IP",
                "string");
        other(
                "POST /v1/cs/configs",
                "Publishes a content; with import or clone takes in many",
                key + "content! tag appName src_user config_tags desc use effect type schema encryptedDataKey"
                        + " namespace policy validate:boolean @betaIps @casMd5 @X-Forwarded-For @X-Real-IP",
                "boolean");
        other(
                "DELETE /v1/cs/configs",
                "Deletes a configuration; with beta its release for some addresses, with delType several",
                key + "tag ids src_user @X-Forwarded-For @X-Real-IP",
                "boolean");
        other(
                "POST /v1/cs/configs/listener",
                "Waits for a change of what the client has",
                "Listening-Configs! @Long-Pulling-Timeout @Long-Pulling-Timeout-No-Hangup @Client-Version",
                "string");
        other(
                "GET /v1/cs/configs/catalog",
                "Shows what is told of a configuration beside its content",
                "dataId! group! tenant",
                "object");
        other(
                "GET /v1/cs/capacity",
                "Tells how much a group or a namespace may hold, and how much it does",
                "group tenant",
                "object");
        other(
                "POST /v1/cs/capacity",
                "Sets how much a group or a namespace may hold; 0 for the default",
                "group tenant quota:integer maxSize:integer maxAggrCount:integer maxAggrSize:integer",
                "object");
        other(
                "GET /v1/cs/history",
                "Shows a change; with search lists the changes of a configuration",
                "search nid:integer dataId! group! tenant appName pageNo:integer pageSize:integer",
                "object");
        other(
                "GET /v1/cs/history/previous",
                "Shows what a configuration was before its last change",
                "id!:integer dataId! group! tenant",
                "OldHistory");
        other("GET /v1/cs/history/configs", "Lists the configurations of a namespace", "tenant!", "[OldConfig]");
        other(
                "GET /v1/cs/configs/listener",
                "Tells which address has which md5 of a configuration",
                "dataId! group! tenant sampleTime:integer",
                "object");
        other(
                "GET /v1/cs/listener",
                "Tells which configurations an address listens to, and which md5 it has of each",
                "ip! all:boolean tenant sampleTime:integer",
                "object");
    }

    private void instances() {
        naming("POST /instance", "Registers an instance", PUBLISHED, "string");
        other(
                "POST /v3/client/ns/instance",
                "Registers an instance; with heartBeat sends its beat",
                PUBLISHED + "heartBeat:boolean",
                "string");
        naming("DELETE /instance", "Deregisters an instance", INSTANCE + "ephemeral:boolean", "string");
        naming("PUT /instance", "Sets weight, metadata and whether traffic goes to an instance", PUBLISHED, "string");
        naming("PATCH /instance", "Sets what is given of an instance", PATCHED, "string");
        other("PATCH /v1/ns/instance", "Sets what is given of an instance", PATCHED + "healthy:boolean", "string");
        naming("PUT /instance/partial", "Sets what is given of an instance", PATCHED, "string");
        naming("GET /instance", "Shows an instance", INSTANCE, "object");
        naming(
                "GET /instance/list",
                "Lists the instances of a service",
                SERVICE + "clusterName cluster clusters healthyOnly:boolean clientIP udpPort:integer app ip"
                        + " port:integer tid isCheck:boolean env " + PAGE,
                "object");
        naming("PUT /instance/metadata/batch", "Adds metadata to instances", BATCH, "object");
        naming("DELETE /instance/metadata/batch", "Removes metadata from instances", BATCH, "object");
        naming(
                "PUT /instance/beat",
                "Takes the beat of an instance",
                SERVICE + "beat ip port:integer clusterName cluster",
                "object");
        naming("GET /instance/statuses", "Tells which instances of a service are well", "key! namespaceId", "object");
        naming("GET /instance/statuses/**", "Tells which instances of a service are well", "", "object");
        naming(
                "GET /catalog/instances",
                "Lists the instances of a service by pages",
                SERVICE + PAGE + "clusterName cluster healthyOnly:boolean enabledOnly:boolean",
                "object");
        naming(
                "PUT /health",
                "Sets whether a persistent instance is well",
                INSTANCE + "healthy!:boolean valid:boolean",
                "string");
        naming(
                "PUT /health/instance",
                "Sets whether a persistent instance is well",
                INSTANCE + "healthy!:boolean valid:boolean",
                "string");
        naming("GET /health/checkers", "Lists the ways in which instances are asked", "", "object");
        naming("GET /health/server", "Tells how much this server keeps", "", "string");
    }

    private void services() {
        naming("POST /service", "Creates a service", SETTINGS + "ephemeral:boolean", "string");
        other("POST /v1/ns/service", "Creates a persistent service", SETTINGS, "string");
        naming("PUT /service", "Sets what is told of a service", SETTINGS, "string");
        naming("DELETE /service", "Deletes a service without instances", SERVICE, "string");
        naming("GET /service", "Shows a service", SERVICE, "object");
        naming("GET /service/list", "Lists the names of a group's services", "namespaceId groupName " + PAGE, "object");
        naming("GET /service/names", "Lists the names of services", "namespaceId expr", "object");
        naming(
                "GET /service/subscribers",
                "Lists who subscribes to a service",
                SERVICE + PAGE + "aggregation:boolean",
                "object");
        naming("GET /service/selector/types", "Lists the kinds of selectors", "", "object");
        naming("GET /catalog/service", "Shows a service with its clusters", SERVICE, "object");
        naming(
                "GET /catalog/services",
                "Lists services with their clusters",
                "namespaceId serviceNameParam groupNameParam instance containedInstance hasIpCount:boolean"
                        + " withInstances:boolean " + PAGE,
                "object");
        naming("PUT /cluster", "Sets how instances of a cluster are asked", CLUSTER, "string");
        naming("PUT /service/cluster", "Sets how instances of a cluster are asked", CLUSTER, "string");
    }

    private void operations() {
        naming("GET /operator/switches", "Shows the switches of the registry", "", "object");
        naming("PUT /operator/switches", "Sets a switch of the registry", "entry! value! debug:boolean", "string");
        naming("GET /operator/metrics", "Tells how much the registry keeps", "onlyStatus:boolean", "object");
        naming("GET /operator/push/state", "Counts pushes", "detail:boolean reset:boolean", "object");
        naming("GET /operator/distro/client", "Tells which node keeps a client", "ip! port!", "object");
        naming("GET /operator/servers", "Lists the nodes, in the words of 1.4", "healthy:boolean", "object");
        naming("PUT /operator/log", "Sets how much the registry logs", "logName! logLevel!", "string");
        naming("GET /client", "Shows a client of the registry", "clientId!", "object");
        naming("GET /client/list", "Lists the clients of the registry", "", "[string]");
        naming("GET /client/distro", "Tells which node keeps a client", "ip! port!", "object");
        naming("GET /client/publish/list", "Lists what a client has registered", "clientId!", "array");
        naming("GET /client/subscribe/list", "Lists what a client subscribes to", "clientId!", "array");
        naming(
                "GET /client/service/publisher/list",
                "Lists who has registered instances of a service",
                CLIENTS,
                "array");
        naming("GET /client/service/subscriber/list", "Lists who subscribes to a service", CLIENTS, "array");
        naming("GET /**", "Says that there is no such endpoint", "", "object");
    }

    private void naming(String route, String summary, String parameters, String answer) {
        registry.put(route, OldOperation.of(summary, parameters, answer));
    }

    private void other(String route, String summary, String parameters, String answer) {
        others.put(route, OldOperation.of(summary, parameters, answer));
    }

    /** The route with what it takes and answers, where it does not say so itself and it is known here. */
    public HttpRoute describe(HttpRoute route) {
        if (route.old() != null) {
            return route;
        }
        OldOperation known = others.get(route.method() + ' ' + route.path());
        if (known == null) {
            String inRegistry = inRegistry(route.path());
            known = inRegistry == null ? null : registry.get(route.method() + ' ' + inRegistry);
        }
        return known == null ? route : route.does(known);
    }

    private static @Nullable String inRegistry(String path) {
        int registry = path.indexOf("/ns/");
        if (registry < 0) {
            return null;
        }
        String tail = path.substring(registry + "/ns".length());
        return tail.startsWith("/ops/") ? "/operator" + tail.substring("/ops".length()) : tail;
    }
}
