package io.cairn.server.envoy;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import tools.jackson.databind.JsonNode;

/** Checks Envoy's requirements beyond the rules of the API. For one thread. */
final class StructureCheck implements ResourceWalk.Visitor {

    private final Report report;

    StructureCheck(Report report) {
        this.report = report;
    }

    @Override
    public void visit(Message message, JsonNode node, Place place) {
        switch (message.getDescriptorForType().getFullName()) {
            case "envoy.config.cluster.v3.Cluster" -> cluster(message, place);
            case "envoy.config.listener.v3.Listener" -> listener(message, place);
            default -> {}
        }
    }

    /** Only a cluster of type EDS may, and must, have a source of endpoints. */
    private void cluster(Message cluster, Place place) {
        boolean isEds =
                has(cluster, "type") && value(cluster, "type").toString().equals("EDS");
        if (isEds) {
            boolean isComplete = has(cluster, "eds_cluster_config")
                    && has((Message) value(cluster, "eds_cluster_config"), "eds_config");
            if (!isComplete) {
                report.problem(
                        place.field("eds_cluster_config").field("eds_config"),
                        "is missing in a cluster of type EDS (expected: {ads: {}, resource_api_version: V3})");
            }
        } else if (has(cluster, "eds_cluster_config")) {
            report.problem(place.field("eds_cluster_config"), "is set (expected: with type EDS only)");
        }
        boolean hasLists = has(cluster, "type")
                && (value(cluster, "type").toString().equals("STRICT_DNS")
                        || value(cluster, "type").toString().equals("LOGICAL_DNS"));
        if (hasLists && !has(cluster, "load_assignment")) {
            report.problem(
                    place.field("load_assignment"),
                    "is missing in a cluster of type " + value(cluster, "type") + " (expected: its endpoints)");
        }
    }

    private void listener(Message listener, Place place) {
        if (!has(listener, "address") && !has(listener, "api_listener") && !has(listener, "internal_listener")) {
            report.problem(
                    place.field("address"),
                    "is missing (expected: {socket_address: {address: 0.0.0.0, port_value: 8080}}, or an api_listener)");
        }
    }

    private static boolean has(Message message, String name) {
        FieldDescriptor field = message.getDescriptorForType().findFieldByName(name);
        return field != null && message.hasField(field);
    }

    private static Object value(Message message, String name) {
        Descriptor type = message.getDescriptorForType();
        return message.getField(type.findFieldByName(name));
    }
}
