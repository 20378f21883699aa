package io.cairn.server.envoy;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;

/** Collects the clusters that a resource routes to or calls. For one thread. */
final class ClusterNames implements ResourceWalk.Visitor {

    /** Fields with one or more names of clusters. */
    private static final Set<String> FIELDS =
            Set.of("cluster", "cluster_name", "cluster_names", "collector_cluster", "statsd_cluster");

    /** Messages where such a field has another meaning. */
    private static final Set<String> OTHERS =
            Set.of("envoy.config.core.v3.Node", "envoy.config.endpoint.v3.ClusterLoadAssignment");

    private static final String CLUSTER = "envoy.config.cluster.v3.Cluster";
    private static final String AGGREGATE = "envoy.extensions.clusters.aggregate.v3.ClusterConfig";
    private static final String WEIGHTED = "ClusterWeight";

    private final Set<String> names = new TreeSet<>();

    @Override
    public void visit(Message message, JsonNode node, Place place) {
        Descriptor type = message.getDescriptorForType();
        String typeName = type.getFullName();
        if (typeName.equals(CLUSTER)) {
            collectCluster(message);
            return;
        }
        if (OTHERS.contains(typeName)) {
            return;
        }
        for (FieldDescriptor field : type.getFields()) {
            boolean isName = FIELDS.contains(field.getName())
                    || typeName.endsWith(WEIGHTED) && field.getName().equals("name")
                    || typeName.equals(AGGREGATE) && field.getName().equals("clusters");
            if (isName && field.getJavaType() == FieldDescriptor.JavaType.STRING) {
                collect(message.getField(field));
            }
        }
    }

    /** A cluster with EDS uses the endpoints of its service name, else of its own name. */
    private void collectCluster(Message cluster) {
        Descriptor type = cluster.getDescriptorForType();
        FieldDescriptor discovery = type.findFieldByName("type");
        FieldDescriptor eds = type.findFieldByName("eds_cluster_config");
        if (cluster.hasField(discovery)
                && cluster.getField(discovery).toString().equals("EDS")
                && cluster.hasField(eds)) {
            Message config = (Message) cluster.getField(eds);
            Object service = config.getField(config.getDescriptorForType().findFieldByName("service_name"));
            collect(service.equals("") ? cluster.getField(type.findFieldByName("name")) : service);
        }
    }

    private void collect(Object value) {
        if (value instanceof List<?> list) {
            list.forEach(this::collect);
        } else if (value instanceof String name && !name.isEmpty()) {
            names.add(name);
        }
    }

    /** In alphabetical order. */
    Set<String> names() {
        return names;
    }
}
