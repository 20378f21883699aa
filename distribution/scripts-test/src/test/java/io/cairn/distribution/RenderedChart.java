package io.cairn.distribution;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The objects of one rendered form of the chart. */
final class RenderedChart {

    private final List<YamlNode> objects;

    RenderedChart(String form) throws IOException {
        this.objects = YamlNode.all(HelmChart.rendered(form));
    }

    List<YamlNode> all(String kind) {
        return objects.stream()
                .filter(each -> each.at("kind").text().equals(kind))
                .toList();
    }

    /** The only one of its kind; absent without one. */
    YamlNode one(String kind) {
        List<YamlNode> found = all(kind);
        if (found.size() > 1) {
            throw new IllegalStateException(found.size() + " objects of the kind " + kind);
        }
        return found.isEmpty() ? new YamlNode(null) : found.get(0);
    }

    YamlNode service(boolean isHeadless) {
        return all("Service").stream()
                .filter(each -> each.at("spec", "clusterIP").text().equals("None") == isHeadless)
                .findFirst()
                .orElseThrow();
    }

    YamlNode statefulSet() {
        return one("StatefulSet");
    }

    YamlNode pod() {
        return statefulSet().at("spec", "template", "spec");
    }

    Map<String, String> podLabels() {
        return statefulSet().at("spec", "template", "metadata", "labels").strings();
    }

    YamlNode container() {
        return pod().at("containers").list().get(0);
    }

    List<String> arguments() {
        return container().at("args").texts();
    }

    /** The value of {@code --name=value}; absent without it. */
    YamlNode setting(String name) {
        return arguments().stream()
                .filter(each -> each.startsWith("--" + name + '='))
                .map(each -> new YamlNode(each.substring(name.length() + 3)))
                .findFirst()
                .orElse(new YamlNode(null));
    }

    boolean isCluster() {
        return arguments().contains("cluster");
    }

    /** All label selectors for pods, wherever they stand. */
    List<YamlNode> podSelectors() {
        List<YamlNode> selectors = new ArrayList<>();
        all("Service").forEach(service -> selectors.add(service.at("spec", "selector")));
        selectors.add(statefulSet().at("spec", "selector", "matchLabels"));
        all("PodDisruptionBudget").forEach(each -> selectors.add(each.at("spec", "selector", "matchLabels")));
        all("NetworkPolicy").forEach(policy -> {
            selectors.add(policy.at("spec", "podSelector", "matchLabels"));
            policy.at("spec", "ingress").list().stream()
                    .filter(rule ->
                            rule.at("ports").list().get(0).at("port").text().equals("group"))
                    .forEach(rule -> selectors.add(rule.at("from").list().get(0).at("podSelector", "matchLabels")));
        });
        YamlNode antiAffinity = pod().at("affinity", "podAntiAffinity");
        antiAffinity
                .at("requiredDuringSchedulingIgnoredDuringExecution")
                .list()
                .forEach(each -> selectors.add(each.at("labelSelector", "matchLabels")));
        antiAffinity
                .at("preferredDuringSchedulingIgnoredDuringExecution")
                .list()
                .forEach(each -> selectors.add(each.at("podAffinityTerm", "labelSelector", "matchLabels")));
        pod().at("topologySpreadConstraints")
                .list()
                .forEach(each -> selectors.add(each.at("labelSelector", "matchLabels")));
        return selectors;
    }
}
