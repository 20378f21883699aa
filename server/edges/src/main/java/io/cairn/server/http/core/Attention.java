package io.cairn.server.http.core;

import io.cairn.api.config.Namespace;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

/** Gathers the findings of its sources. Thread-safe. */
public final class Attention {

    private final List<Source> sources;
    private final Executor work;

    /** A source of findings. May take a moment, and may read files. */
    @FunctionalInterface
    public interface Source {
        /** The findings of this moment; of configurations, those of one namespace. */
        List<Finding> findings(Namespace namespace);
    }

    /** @param work a small bounded pool on which the sources are asked */
    public Attention(List<Source> sources, Executor work) {
        this.sources = List.copyOf(sources);
        this.work = work;
    }

    /** All findings, the urgent ones first. */
    public CompletionStage<List<Finding>> findings(Namespace namespace) {
        return CompletableFuture.supplyAsync(
                () -> {
                    List<Finding> all = new ArrayList<>();
                    for (Source source : sources) {
                        all.addAll(source.findings(namespace));
                    }
                    all.sort(Comparator.comparing(finding -> !finding.urgent()));
                    return all;
                },
                work);
    }
}
