package io.cairn.measure;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/** That the measurements run; their figures mean nothing here. */
class MeasurementsIT {

    @Test
    void everyBenchmarkRuns() throws Exception {
        var options = new OptionsBuilder()
                .include("io.cairn.*")
                .forks(0)
                .warmupIterations(0)
                .measurementIterations(1)
                .measurementTime(TimeValue.milliseconds(10))
                .shouldFailOnError(true)
                .build();
        assertThat(new Runner(options).run())
                .hasSize(15)
                .allSatisfy(run -> assertThat(run.getPrimaryResult().getScore()).isPositive());
    }

    @Test
    @Tag("full")
    void measuresTheConnectionsOfThisProcess() throws Exception {
        ConnectionMemory.Figures figures = new ConnectionMemory(3_000, 20).measure();
        assertThat(figures.perConnection()).isBetween(1_000.0, 200_000.0);
        assertThat(figures.perListen()).isLessThan(10_000);
    }
}
