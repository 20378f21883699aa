package io.cairn.server.http.core;

import io.cairn.api.config.Namespace;
import io.cairn.api.wire.JsonOutput;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

/** Gathers what somebody should look at. Thread-safe. */
public final class Attention {

    private final List<Source> sources;
    private final Executor work;

    /** Something that knows of findings. May take a moment, and may look at files. */
    @FunctionalInterface
    public interface Source {
        /** What there is at the moment; of configurations, those of one namespace. */
        List<Finding> findings(Namespace namespace);
    }

    /** @param work a small bounded pool on which the sources are asked */
    public Attention(List<Source> sources, Executor work) {
        this.sources = List.copyOf(sources);
        this.work = work;
    }

    /** All findings as a JSON array, the urgent ones first. */
    public CompletionStage<byte[]> json(Namespace namespace) {
        return CompletableFuture.supplyAsync(
                () -> {
                    List<Finding> all = new ArrayList<>();
                    for (Source source : sources) {
                        all.addAll(source.findings(namespace));
                    }
                    all.sort(Comparator.comparing(finding -> !finding.isUrgent()));
                    return JsonOutput.array(all, Finding::write);
                },
                work);
    }
}
