package io.cairn.server.envoy;

import io.cairn.server.config.validation.ContentTree;
import io.cairn.server.config.validation.Problem;
import io.cairn.server.mesh.EnvoyResources.Checked;
import io.cairn.server.mesh.EnvoyResources.ResourceProblem;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Collects the problems of one resource with their lines. Not thread-safe. */
final class Report {

    private static final Comparator<ResourceProblem> BY_LINE =
            Comparator.comparingInt(ResourceProblem::line).thenComparingInt(ResourceProblem::column);

    private final ContentTree tree;
    private final List<ResourceProblem> problems = new ArrayList<>();
    private final List<ResourceProblem> warnings = new ArrayList<>();

    Report(ContentTree tree) {
        this.tree = tree;
    }

    /** Adds a reason for which the resource is unreadable. */
    void problem(Place place, String message) {
        add(problems, place, message);
    }

    /** Adds a fault that Envoy refuses in a readable resource: it must not be stored; a stored one stays with its proxies. */
    void refused(Place place, String message) {
        add(problems, place, message);
    }

    /** Adds a doubtful part that Envoy accepts. */
    void warning(Place place, String message) {
        add(warnings, place, message);
    }

    private void add(List<ResourceProblem> to, Place place, String message) {
        if (to.size() < Checked.MAX_PROBLEMS) {
            Problem found = tree.problemOf(0, place.steps(), message);
            to.add(new ResourceProblem(place.toString(), found.line(), found.column(), found.message()));
        }
    }

    boolean hasProblems() {
        return !problems.isEmpty();
    }

    int problemCount() {
        return problems.size();
    }

    /** In the order of their lines. */
    List<ResourceProblem> problems() {
        return problems.stream().sorted(BY_LINE).toList();
    }

    /** In the order of their lines. */
    List<ResourceProblem> warnings() {
        return warnings.stream().sorted(BY_LINE).toList();
    }
}
