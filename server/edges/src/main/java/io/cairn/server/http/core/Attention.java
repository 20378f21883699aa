package io.cairn.server.http.core;

import io.cairn.api.config.Namespace;
import io.cairn.server.attention.Finding;
import io.cairn.server.attention.FindingSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

/** Gathers the findings of its sources. Thread-safe. */
public final class Attention {

    private static final Comparator<Finding> ORDER =
            Comparator.comparing((Finding finding) -> !finding.urgent()).thenComparing(Finding::kind);

    private final List<FindingSource> sources;
    private final Executor work;

    /** @param work a small bounded pool on which the sources are asked */
    public Attention(List<FindingSource> sources, Executor work) {
        this.sources = List.copyOf(sources);
        this.work = work;
    }

    /** All findings, the urgent ones first, then in the order of their kinds. */
    public CompletionStage<List<Finding>> findings(Namespace namespace) {
        return CompletableFuture.supplyAsync(
                () -> {
                    List<Finding> all = new ArrayList<>();
                    for (FindingSource source : sources) {
                        all.addAll(source.findings(namespace));
                    }
                    all.sort(ORDER);
                    return all;
                },
                work);
    }
}
