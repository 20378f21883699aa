package io.cairn.benchmark;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
        name = "cluster-churn",
        description =
                "Clients of several nodes register and deregister instances and publish configurations at a rate; times "
                        + "each registration until subscribers of the other nodes have a view that shows it. The caller may restart "
                        + "nodes meanwhile (--restarts).",
        sortOptions = false,
        mixinStandardHelpOptions = true)
final class ClusterChurnCommand extends BenchmarkCommand {
    private static final int MOST_NODES = 9;

    @Option(
            names = "--node",
            paramLabel = "host:port=pid",
            description =
                    "a further node of the cluster to which --server belongs, with its process id, or 0 to measure "
                            + "no CPU time; once for each node")
    Map<String, Long> nodes = new LinkedHashMap<>();

    @Option(
            names = "--clients",
            description = "connections with an instance each, spread over the nodes (default: ${DEFAULT-VALUE})")
    int clients = 30;

    @Option(names = "--services", description = "that they are instances of (default: ${DEFAULT-VALUE})")
    int services = 10;

    @Option(
            names = "--subscribers",
            description = "of each node, which subscribe to all services (default: ${DEFAULT-VALUE})")
    int subscribers = 1;

    @Option(
            names = "--changes",
            description = "registrations and deregistrations a second, half of each (default: ${DEFAULT-VALUE})")
    double changes = 50;

    @Option(names = "--publishes", description = "a second, in turn on each node (default: ${DEFAULT-VALUE})")
    double publishes = 20;

    @Option(names = "--configs", description = "that are published again and again (default: ${DEFAULT-VALUE})")
    int configs = 100;

    @Option(names = "--size", description = "bytes of a content (default: ${DEFAULT-VALUE})")
    int size = 1024;

    @Option(
            names = "--restarts",
            description =
                    "nodes are restarted meanwhile: clients connect again, to the next node, and calls that were lost "
                            + "with a connection are counted without failing the run")
    boolean restarts;

    @Option(
            names = "--drain",
            description = "seconds after the last change in which all must have been seen (default: ${DEFAULT-VALUE})")
    double drain = 10;

    @Override
    void check() {
        if (options.baseline) {
            throw new BenchmarkException("--baseline: the bare server is no cluster (expected: without it)");
        }
        Limits.within("number of nodes", nodes.size() + 1.0, 1, MOST_NODES);
        nodes.values().forEach(pid -> Limits.within("--node pid", (double) pid, 0, Integer.MAX_VALUE));
        Limits.within("--clients", clients, 1, Limits.CONNECTIONS);
        Limits.within("--services", services, 1, clients);
        Limits.within("--subscribers", subscribers, 1, 1000);
        Limits.within("--changes", changes, 0.1, 100_000);
        Limits.within("--publishes", publishes, 0.1, 100_000);
        Limits.within("--configs", configs, 1, Limits.CONFIGS);
        Limits.within("--size", size, ConfigText.SERIAL_CHARS, Limits.CONTENT_BYTES);
        Limits.within("--drain", drain, 0, 600);
    }

    @Override
    void measure(Session session, Report report) throws Exception {
        var further = new ArrayList<Session>();
        try {
            for (Map.Entry<String, Long> node : nodes.entrySet()) {
                var next = new Session(options, Target.parse(node.getKey()), node.getValue());
                further.add(next);
                next.logIn();
            }
            var all = new ArrayList<Session>();
            all.add(session);
            all.addAll(further);
            measure(all, report);
        } finally {
            further.forEach(Session::close);
        }
    }

    private void measure(List<Session> sessions, Report report) throws InterruptedException {
        var churn = new ClusterChurn(this, sessions);
        churn.open();
        churn.run(options.warmupTime());
        List<NodeCpu> cpu = sessions.stream()
                .map(session -> NodeCpu.begin(session.server()))
                .toList();
        churn.measure(true);
        churn.run(options.window());
        churn.measure(false);
        double[] cores = cpu.stream().mapToDouble(NodeCpu::end).toArray();
        long missing = churn.finish();

        report.put("nodes", (long) sessions.size());
        report.put("clients", (long) clients);
        churn.report(report);
        for (int i = 0; i < cores.length; i++) {
            report.put("node_" + (i + 1), sessions.get(i).target().authority());
            if (Double.isFinite(cores[i])) {
                report.put("node_" + (i + 1) + "_cpu_cores", cores[i]);
            }
        }
        report.putFailures("instances_not_shown", missing);
    }
}
