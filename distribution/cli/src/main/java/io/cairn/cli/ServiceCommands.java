package io.cairn.cli;

import static io.cairn.cli.Api.parameters;

import io.cairn.cli.Printer.Column;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(name = "service", description = "Services and their instances.", synopsisSubcommandLabel = "COMMAND")
final class ServiceCommands extends Group {

    private static final String INSTANCE = "/v3/admin/ns/instance";
    private static final long BEAT_SECONDS = 5;

    ServiceCommands(Cairn cairn) {
        super(cairn);
    }

    static final class Name {

        @Parameters(index = "0", paramLabel = "SERVICE")
        private String service = "";

        @Option(
                names = {"-g", "--group"},
                paramLabel = "GROUP",
                description = "default: ${DEFAULT-VALUE}")
        private String group = "DEFAULT_GROUP";

        Map<String, String> with(Cairn cairn, @Nullable String... more) {
            Map<String, String> all =
                    parameters("serviceName", service, "groupName", group, "namespaceId", cairn.namespace());
            all.putAll(parameters(more));
            return all;
        }

        @Override
        public String toString() {
            return group + '/' + service;
        }
    }

    static final class Address {

        @Option(names = "--ip", required = true, paramLabel = "ADDRESS")
        private String ip = "";

        @Option(names = "--port", required = true, paramLabel = "PORT", converter = Numbers.Port.class)
        private int port;

        @Option(names = "--cluster", paramLabel = "NAME")
        private @Nullable String cluster;

        Map<String, String> of(Name name, Cairn cairn) {
            return name.with(cairn, "ip", ip, "port", Integer.toString(port), "clusterName", cluster);
        }

        Map<String, String> of(Name name, Cairn cairn, boolean persistent) {
            Map<String, String> all = of(name, cairn);
            all.put("ephemeral", Boolean.toString(!persistent));
            return all;
        }

        boolean isOf(@Nullable Object instance) {
            return isAt(instance)
                    && Json.text(instance, "clusterName")
                            .equals(cluster == null || cluster.isEmpty() ? "DEFAULT" : cluster);
        }

        /** By address, in any cluster. */
        boolean isAt(@Nullable Object instance) {
            return Json.text(instance, "ip").equals(ip)
                    && Json.text(instance, "port").equals(Integer.toString(port));
        }

        @Override
        public String toString() {
            return ip + ':' + port;
        }
    }

    @Command(name = "list", description = "Lists services.")
    int list(
            @Parameters(arity = "0..1", paramLabel = "NAME", description = "a part of the name") @Nullable String name,
            @Option(
                            names = {"-g", "--group"},
                            paramLabel = "GROUP")
                    @Nullable
                    String group,
            @Mixin Limit.OrAll limit) {
        return cairn.list(
                "/v3/admin/ns/service/list",
                parameters("namespaceId", cairn.namespace(), "serviceNameParam", name, "groupNameParam", group),
                limit,
                Column.of("GROUP", "groupName"),
                Column.of("SERVICE", "name"),
                Column.of("INSTANCES", "ipCount"),
                Column.of("HEALTHY", "healthyInstanceCount"));
    }

    @Command(name = "instances", description = "Lists the instances of a service.")
    int instances(@Mixin Name name, @Option(names = "--healthy", description = "healthy ones only") boolean healthy) {
        show(instancesOf(name, healthy));
        return 0;
    }

    /** Why and since when an instance is unhealthy, or empty. */
    private static String why(@Nullable Object instance) {
        if (Json.text(instance, "healthy").equals("true")) {
            return "";
        }
        String since = Printer.time(Json.text(instance, "healthSince"));
        return Json.text(instance, "unhealthyBecause") + (since.isEmpty() ? "" : " since " + since);
    }

    private List<?> instancesOf(Name name, boolean healthy) {
        return Json.items(
                cairn.api().get(INSTANCE + "/list", name.with(cairn, "healthyOnly", healthy ? "true" : null)));
    }

    private void show(List<?> instances) {
        cairn.printer()
                .table(
                        instances,
                        instances,
                        new Column("ADDRESS", row -> Json.text(row, "ip") + ':' + Json.text(row, "port")),
                        Column.of("CLUSTER", "clusterName"),
                        Column.of("HEALTHY", "healthy"),
                        new Column("WHY", ServiceCommands::why),
                        Column.of("ENABLED", "enabled"),
                        Column.of("WEIGHT", "weight"),
                        Column.of("EPHEMERAL", "ephemeral"),
                        new Column(
                                "METADATA", row -> Json.write(Json.fields(row).get("metadata"))));
    }

    @Command(
            name = "register",
            description =
                    "Registers an instance and keeps it alive until interrupted; with --persistent it ends at once.")
    int register(
            @Mixin Name name,
            @Mixin Address address,
            @Option(
                            names = "--persistent",
                            description = "the instance stays until it is deregistered; the server checks its health")
                    boolean persistent,
            @Option(names = "--weight", paramLabel = "W", converter = Numbers.Weight.class) @Nullable String weight,
            @Option(
                            names = {"-m", "--metadata"},
                            paramLabel = "KEY=VALUE")
                    @Nullable
                    Map<String, String> metadata,
            @Option(
                            names = "--for",
                            paramLabel = "SECONDS",
                            converter = Numbers.RunTime.class,
                            defaultValue = "0",
                            description = "end after this time (default: never)")
                    long seconds)
            throws InterruptedException {
        Map<String, String> instance = address.of(name, cairn, persistent);
        instance.putAll(parameters("weight", weight, "metadata", metadata == null ? null : Json.write(metadata)));
        CountDownLatch asked = new CountDownLatch(1);
        Reconnect reconnect = new Reconnect(cairn, asked);
        // A restarted server does not know the instance: register it each time.
        Supplier<Optional<Object>> registering =
                () -> Optional.ofNullable(cairn.api().post(INSTANCE, instance));
        reconnect.ask(registering);
        cairn.printer().done(instance, "Registered " + address + " as instance of " + name);
        if (!persistent) {
            keepAlive(() -> reconnect.ask(registering), asked, seconds, () -> cairn.api()
                    .delete(INSTANCE, address.of(name, cairn, false)));
        }
        return 0;
    }

    /** @param asked counted down to end the command */
    private static void keepAlive(Runnable beat, CountDownLatch asked, long seconds, Runnable deregister)
            throws InterruptedException {
        CountDownLatch left = new CountDownLatch(1);
        Thread hook = new Thread(() -> {
            asked.countDown();
            try {
                // The instance ends with this command, not half a minute later.
                left.await(BEAT_SECONDS, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        Runtime.getRuntime().addShutdownHook(hook);
        long end = seconds == 0 ? Long.MAX_VALUE : System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        long remaining = seconds == 0 ? BEAT_SECONDS : Math.min(BEAT_SECONDS, seconds);
        try {
            while (remaining > 0 && !asked.await(remaining, TimeUnit.SECONDS)) {
                beat.run();
                remaining = seconds == 0
                        ? BEAT_SECONDS
                        : Math.min(BEAT_SECONDS, TimeUnit.NANOSECONDS.toSeconds(end - System.nanoTime()));
            }
            deregister.run();
        } finally {
            left.countDown();
        }
        if (asked.getCount() > 0) {
            Runtime.getRuntime().removeShutdownHook(hook);
        }
    }

    @Command(name = "deregister", description = "Deregisters an instance.")
    int deregister(
            @Mixin Name name,
            @Mixin Address address,
            @Option(names = "--persistent", description = "the instance is persistent") boolean persistent) {
        Map<String, String> instance = address.of(name, cairn, persistent);
        // The server answers alike with and without such an instance.
        Optional<List<?>> present = readable(name);
        present.ifPresent(instances -> checkPresent(name, address, persistent, instances));
        cairn.api().delete(INSTANCE, instance);
        if (present.isEmpty()) {
            cairn.printer()
                    .done(instance, "Asked to deregister " + address + " of " + name + ", which may not be read");
            return 0;
        }
        if (instancesLeft(name).stream().anyMatch(address::isOf)) {
            throw new Failure(address + " is still an instance of " + name
                    + ": a client has registered it over a connection of its own, and it goes with that");
        }
        cairn.printer().done(instance, "Deregistered " + address + " of " + name);
        return 0;
    }

    /** Empty for a caller with the right to write only. */
    private Optional<List<?>> readable(Name name) {
        try {
            return Optional.of(instancesOf(name, false));
        } catch (Failure e) {
            if (e.remedy() != Failure.Remedy.LOGIN) {
                throw e;
            }
            return Optional.empty();
        }
    }

    private static void checkPresent(Name name, Address address, boolean persistent, List<?> instances) {
        Object present = instances.stream().filter(address::isOf).findFirst().orElse(null);
        if (present == null) {
            String elsewhere = instances.stream()
                    .filter(address::isAt)
                    .map(other -> "--cluster " + Json.text(other, "clusterName"))
                    .collect(Collectors.joining(", "));
            throw new Failure("no instance " + address + " is registered for " + name
                    + (elsewhere.isEmpty() ? "" : " in that cluster (there is one with " + elsewhere + ")"));
        }
        if (Json.text(present, "ephemeral").equals(Boolean.toString(persistent))) {
            throw new Failure(address + " of " + name
                    + (persistent
                            ? " is ephemeral (without --persistent it is deregistered)"
                            : " is persistent (with --persistent it is deregistered)"));
        }
    }

    /** With the last instance a service may end, too. */
    private List<?> instancesLeft(Name name) {
        return Json.items(cairn.api().find(INSTANCE + "/list", name.with(cairn)).orElse(null));
    }

    @Command(
            name = "drain",
            description =
                    "Takes an instance out of the lists of consumers, and waits until all subscribers have acknowledged that."
                            + " Status 1 at the time limit.")
    int drain(
            @Mixin Name name,
            @Mixin Address address,
            @Option(
                            names = "--wait",
                            paramLabel = "TIME",
                            description = "time limit for the subscribers, as 10s (default: 10s)")
                    @Nullable
                    String wait,
            @Option(
                            names = "--for",
                            paramLabel = "TIME",
                            description = "end the drain after this time, as 5m (default: 5m)")
                    @Nullable
                    String lasting,
            @Option(names = "--force", description = "also if it is the last instance in service") boolean force,
            @Option(names = "--end", description = "end the drain instead") boolean end) {
        Map<String, String> instance = address.of(name, cairn);
        if (end) {
            cairn.api().delete(INSTANCE + "/drain", instance);
            cairn.printer().done(instance, "Ended the drain of " + address + " of " + name);
            return 0;
        }
        instance.putAll(parameters("wait", wait, "for", lasting, "force", force ? "true" : null));
        Object drained = cairn.api().put(INSTANCE + "/drain", instance);
        List<?> waiting = Json.items(Json.fields(drained).get("waiting"));
        if (!waiting.isEmpty()) {
            cairn.printer()
                    .table(
                            waiting,
                            waiting,
                            Column.of("ADDRESS", "ip"),
                            Column.of("APPLICATION", "app"),
                            Column.of("AGENT", "agent"),
                            Column.of("CLIENT", "clientId"));
        }
        if (!Json.text(drained, "acknowledged").equals("true")) {
            throw new Failure(address + " of " + name + " is drained, but "
                    + (waiting.isEmpty()
                            ? "not every node has answered"
                            : waiting.size() + " subscribers have not acknowledged that in time (--wait)"));
        }
        cairn.printer()
                .done(
                        drained,
                        "Drained " + address + " of " + name + " until " + Printer.time(Json.text(drained, "until"))
                                + "; " + Json.text(drained, "subscribers") + " subscribers have acknowledged that");
        return 0;
    }

    @Command(
            name = "timeline",
            description = "Lists the latest losses and drains of the instances of a service, newest first.")
    int timeline(@Mixin Name name) {
        List<?> entries = Json.items(cairn.api().get("/v3/admin/ns/service/timeline", name.with(cairn)));
        cairn.printer()
                .table(
                        entries,
                        entries,
                        new Column("TIME", row -> Printer.time(Json.text(row, "time"))),
                        Column.of("INSTANCE", "instance"),
                        Column.of("WHAT", "text"),
                        new Column("COUNT", ServiceCommands::count),
                        Column.of("BY", "by"),
                        Column.of("NODE", "node"));
        return 0;
    }

    /** The number of lost instances, or how many consumers have a drain; empty at its begin and end. */
    private static String count(@Nullable Object entry) {
        String count = Json.text(entry, "count");
        return switch (Json.text(entry, "event")) {
            case "ACKNOWLEDGED", "UNACKNOWLEDGED" ->
                count + " of " + (Long.parseLong(count) + Long.parseLong(Json.text(entry, "waiting")));
            default -> Json.text(entry, "kind").equals("LOST") ? count : "";
        };
    }

    @Command(name = "watch", description = "Prints the instances of a service, and again after each change.")
    int watch(
            @Mixin Name name,
            @Option(
                            names = "--count",
                            paramLabel = "N",
                            defaultValue = "0",
                            converter = Numbers.Count.class,
                            description = "end after this number of lists")
                    int count)
            throws InterruptedException {
        Reconnect reconnect = new Reconnect(cairn);
        List<?> before = null;
        for (int seen = 0; ; TimeUnit.SECONDS.sleep(1)) {
            List<?> present = reconnect.ask(() -> instancesOf(name, false));
            cairn.noticeUnknownNamespace();
            if (!present.equals(before)) {
                before = present;
                cairn.errors().println("-- " + name + ", " + present.size() + " instances");
                show(present);
                if (++seen == count) {
                    return 0;
                }
            }
        }
    }
}
