package io.cairn.cli;

import static io.cairn.cli.Api.parameters;

import io.cairn.api.config.Namespace;
import io.cairn.cli.migrate.Bridge;
import io.cairn.cli.migrate.ConfigPass;
import io.cairn.cli.migrate.ConfigPlan;
import io.cairn.cli.migrate.ConflictRule;
import io.cairn.cli.migrate.Decision;
import io.cairn.cli.migrate.Decision.Outcome;
import io.cairn.cli.migrate.Follow;
import io.cairn.cli.migrate.Journal;
import io.cairn.cli.migrate.LeftCopies;
import io.cairn.cli.migrate.OtherBridgeException;
import io.cairn.cli.migrate.Outage;
import io.cairn.cli.migrate.Pace;
import io.cairn.cli.migrate.Report;
import io.cairn.cli.migrate.Side;
import io.cairn.cli.migrate.SideException;
import io.cairn.client.CairnClient;
import io.cairn.client.ClientBuilder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
        name = "migrate",
        description = "Carries namespaces and configurations from one server to another: Nacos 1.x, 2.x, 3.x or Cairn.",
        footer = {"", "Without --from or --to, that side is the server of --server with its login."})
final class MigrateCommand implements Callable<Integer> {

    private final Cairn cairn;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(names = "--from", paramLabel = "URL", description = "the source, such as http://nacos:8848")
    private @Nullable String from;

    @Option(names = "--from-user", paramLabel = "NAME", description = "user for the login at the source")
    private @Nullable String fromUser;

    @Option(names = "--from-password-file", paramLabel = "FILE", description = "file with that user's password")
    private @Nullable String fromPasswordFile;

    @Option(names = "--from-token-file", paramLabel = "FILE", description = "file with a token, in place of a user")
    private @Nullable String fromTokenFile;

    @Option(names = "--to", paramLabel = "URL", description = "the target")
    private @Nullable String to;

    @Option(names = "--to-user", paramLabel = "NAME", description = "user for the login at the target")
    private @Nullable String toUser;

    @Option(names = "--to-password-file", paramLabel = "FILE", description = "file with that user's password")
    private @Nullable String toPasswordFile;

    @Option(names = "--to-token-file", paramLabel = "FILE", description = "file with a token, in place of a user")
    private @Nullable String toTokenFile;

    @Option(
            names = "--namespaces",
            paramLabel = "ID",
            split = ",",
            description = "the namespaces to carry (default: all of the source)")
    private List<String> namespaces = new ArrayList<>();

    @Option(
            names = "--gray-tags",
            paramLabel = "TAG",
            split = ",",
            description = "tags of gray releases to look for; a Nacos before 3 does not list them")
    private List<String> grayTags = new ArrayList<>();

    @Option(
            names = "--conflicts",
            paramLabel = "RULE",
            converter = RuleConverter.class,
            description =
                    "for a configuration that both sides have changed: ask leaves both and ends with status 1; newest, source"
                            + " or target choose a side (default: ask)")
    private ConflictRule conflicts = ConflictRule.ASK;

    @Option(names = "--dry-run", description = "print the decisions, and change nothing")
    private boolean dryRun;

    @Option(
            names = "--journal",
            paramLabel = "FILE",
            description =
                    "what was carried over, for the next run (default: a file in this folder, named after both servers)")
    private @Nullable Path journalFile;

    @Option(
            names = "--rate",
            paramLabel = "N",
            converter = Numbers.Most.class,
            description = "requests per second to each side at most (default: ${DEFAULT-VALUE})")
    private int rate = 200;

    @Option(
            names = "--status",
            description = "print which configurations differ, and the instances of each side; change nothing")
    private boolean status;

    @Option(names = "--follow", description = "go on with every change, until Ctrl-C")
    private boolean follow;

    @Option(names = "--both-ways", description = "carry changes of the target to the source too")
    private boolean bothWays;

    @Option(names = "--no-services", description = "follow configurations alone")
    private boolean noServices;

    @Option(
            names = "--accounts",
            paramLabel = "FILE",
            description =
                    "carry users, roles and permissions too, once; random passwords of new users are added to FILE")
    private @Nullable Path accounts;

    @Option(
            names = "--cut-over",
            description =
                    "with --follow, without --both-ways: end when no instance is a copy any more and both sides agree")
    private boolean cutOver;

    @Option(
            names = "--metrics-port",
            paramLabel = "PORT",
            description = "with --follow: a port of this host for meters, at /metrics (default: none)")
    private @Nullable Integer metricsPort;

    @Option(
            names = "--interval",
            paramLabel = "SECONDS",
            converter = Numbers.Seconds.class,
            description =
                    "time between two lists of everything (default: ${DEFAULT-VALUE}); changes are followed at once")
    private int intervalSeconds = 10;

    MigrateCommand(Cairn cairn) {
        this.cairn = cairn;
    }

    @Override
    public Integer call() throws IOException {
        if (status) {
            dryRun = true;
        }
        if (follow && dryRun) {
            throw usage("--follow excludes --dry-run and --status");
        }
        if (cutOver && (!follow || noServices)) {
            throw usage("--cut-over needs --follow, and services");
        }
        if (cutOver && bothWays) {
            throw usage("--cut-over excludes --both-ways, which shows moved instances at the source as copies");
        }
        if (accounts != null && follow) {
            throw usage("--accounts excludes --follow (carry them once; each start would add again what was revoked)");
        }
        if (rate < 1) {
            throw usage("--rate: " + rate + " (expected: at least 1)");
        }
        BridgeServer source = server("--from", from, fromUser, fromPasswordFile, fromTokenFile);
        BridgeServer target = server("--to", to, toUser, toPasswordFile, toTokenFile);
        if (base("--from", from).equals(base("--to", to))) {
            throw usage("both sides are " + base("--to", to) + " (--from or --to names the other server)");
        }
        try {
            return follow ? follow(source, target) : once(source, target);
        } catch (SideException | OtherBridgeException e) {
            throw new Failure(String.valueOf(e.getMessage()), e);
        }
    }

    private Path journal() {
        return journalFile != null
                ? journalFile
                : Path.of("cairn-migrate-" + fileName(base("--from", from)) + "-" + fileName(base("--to", to))
                        + ".journal");
    }

    private String base(String option, @Nullable String url) {
        return url == null ? cairn.base() : cairn.base(option, url);
    }

    private CommandLine.ParameterException usage(String message) {
        return new CommandLine.ParameterException(spec.commandLine(), message);
    }

    private BridgeServer server(
            String option,
            @Nullable String url,
            @Nullable String user,
            @Nullable String passwordFile,
            @Nullable String tokenFile) {
        Pace pace = new Pace(rate);
        if (url == null) {
            if (user != null || passwordFile != null || tokenFile != null) {
                throw usage(option + " is missing (its login options are for the server that it names)");
            }
            return new BridgeServer("--server", login(cairn::api), pace);
        }
        String base = cairn.base(option, url);
        String password = user == null ? null : cairn.passwordOf(user, passwordFile);
        return new BridgeServer(
                option,
                () -> {
                    Api api = new Api(base, cairn.timeout(), cairn.trust());
                    if (tokenFile != null) {
                        api.token(cairn.tokenOf(option + "-token-file", tokenFile));
                    } else if (user != null) {
                        // The path of version 1, because every server knows it.
                        Object answer = Api.bare(
                                api.send(api.form(
                                        "POST",
                                        "/v1/auth/users/login",
                                        parameters("username", user, "password", password))),
                                "accessToken");
                        api.token(Json.text(answer, "accessToken"));
                    }
                    return api;
                },
                pace);
    }

    /** The command's own login, renewed from the second call on. */
    private Supplier<Api> login(Supplier<Api> api) {
        boolean[] again = new boolean[1];
        return () -> {
            if (again[0] && cairn.canLogInAgain()) {
                cairn.logInAgain();
            }
            again[0] = true;
            return api.get();
        };
    }

    /** Fails without a server, before anything is written. */
    private static void connect(BridgeServer source, BridgeServer target) {
        source.dialect();
        target.dialect();
    }

    private String pair() {
        return base("--from", from) + " " + base("--to", to);
    }

    private ConfigPass configs(BridgeServer source, BridgeServer target, Journal journal, Report report) {
        return new ConfigPass(
                source.configs(grayTags),
                target.configs(grayTags),
                new ConfigPlan(bothWays, conflicts),
                journal,
                report,
                dryRun);
    }

    private int once(BridgeServer source, BridgeServer target) throws IOException {
        connect(source, target);
        Report report = new Report(this::print);
        try (Journal journal = dryRun ? Journal.readOnly(journal(), pair()) : Journal.open(journal(), pair())) {
            List<Namespace> carried = new MigratedNamespaces(source, target, report, dryRun).carry(namespaces);
            if (accounts != null) {
                try {
                    new CarriedAccounts(source, target, report, dryRun, accounts).carry();
                } catch (SideException e) {
                    throw new Failure("--accounts: " + e.getMessage(), e);
                }
            }
            ConfigPass pass = configs(source, target, journal, report);
            for (Namespace namespace : carried) {
                pass.all(namespace, true);
            }
            if (status) {
                counts(report, "To do:");
                new MigrateStatus(source, target).print(cairn, carried, report);
            } else {
                finish(report, new RemainingSteps(source).list(accounts != null));
            }
        }
        return status(report);
    }

    private static int status(Report report) {
        return report.needsOperator() ? CommandLine.ExitCode.SOFTWARE : CommandLine.ExitCode.OK;
    }

    private int follow(BridgeServer source, BridgeServer target) throws IOException {
        // A first start with a wrong address ends at once.
        if (!Files.exists(journal())) {
            connect(source, target);
        }
        Report report = new Report(this::print);
        boolean isCutOver = false;
        try {
            runBridge(source, target, report);
            isCutOver = cutOver;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        counts(report, isCutOver ? "Cut over." : cutOver ? "Ended before the cut-over." : "Ended.");
        return cutOver && !isCutOver ? CommandLine.ExitCode.SOFTWARE : status(report);
    }

    /** Returns after the cut-over. */
    private void runBridge(BridgeServer source, BridgeServer target, Report report)
            throws IOException, InterruptedException {
        Outage outage = new Outage("servers", cairn::notice);
        Map<Side, String> addresses =
                Map.of(Side.SOURCE, hostAndPort(base("--from", from)), Side.TARGET, hostAndPort(base("--to", to)));
        try (ClientLog log = ClientLog.to(cairn::notice);
                Journal journal = Journal.open(journal(), pair());
                FollowedServer ofSource =
                        followed(source, () -> clients(from, fromUser, fromPasswordFile, fromTokenFile));
                FollowedServer ofTarget = followed(target, () -> clients(to, toUser, toPasswordFile, toTokenFile));
                LeftCopies left = new LeftCopies(
                        Map.of(Side.SOURCE, ofSource::services, Side.TARGET, ofTarget::services),
                        addresses,
                        journal,
                        cairn::notice)) {
            if (!noServices) {
                left.keep(namespaces.isEmpty() ? journal.namespaces() : MigratedNamespaces.of(namespaces), bothWays);
            }
            while (true) {
                try {
                    connect(source, target);
                    List<Namespace> carried = new MigratedNamespaces(source, target, report, false).carry(namespaces);
                    left.end(carried);
                    journal.putNamespaces(carried);
                    Bridge bridge = new Bridge(
                            configs(source, target, journal, report),
                            carried,
                            Follow.every(Duration.ofSeconds(intervalSeconds)),
                            report,
                            cairn::notice);
                    if (!noServices) {
                        bridge.follow(
                                Map.of(Side.SOURCE, ofSource.services(), Side.TARGET, ofTarget.services()),
                                addresses,
                                bothWays,
                                journal,
                                hostName(),
                                cutOver);
                    }
                    if (outage.isOn()) {
                        bridge.startsAfterOutage();
                    }
                    outage.over();
                    cairn.notice("following changes, until " + (cutOver ? "the cut-over" : "Ctrl-C"));
                    try (BridgeMeters meters = BridgeMeters.start(metricsPort, report, bridge)) {
                        bridge.run();
                    }
                    return;
                } catch (SideException e) {
                    if (!e.isTemporary()) {
                        throw e;
                    }
                    left.check();
                    // No server tells its return.
                    Thread.sleep(outage.failed(e).toMillis());
                }
            }
        }
    }

    private FollowedServer followed(BridgeServer server, Supplier<ClientBuilder> clients) {
        return new FollowedServer(
                server,
                () -> server.isHttpOnly() ? PolledLink.start(server) : new BridgeClients(clients),
                cairn::notice);
    }

    private static String hostName() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "unknown host";
        }
    }

    private static String hostAndPort(String base) {
        return URI.create(base).getRawAuthority();
    }

    private ClientBuilder clients(
            @Nullable String url, @Nullable String user, @Nullable String passwordFile, @Nullable String tokenFile) {
        URI address = URI.create(base("--from", url));
        ClientBuilder builder = CairnClient.builder()
                .servers(address.getScheme() + "://" + address.getRawAuthority())
                .contextPath(address.getRawPath())
                .startWithoutServer(cairn.timeout());
        SSLContext trust = cairn.trust();
        if (trust != null && "https".equals(address.getScheme())) {
            builder.tls(trust);
        }
        if (url == null) {
            cairn.logIn(builder);
        } else if (tokenFile != null) {
            builder.tokens(() -> cairn.tokenOf("--token-file", tokenFile));
        } else if (user != null) {
            builder.credentials(user, cairn.passwordOf(user, passwordFile));
        }
        return builder;
    }

    private static String fileName(String base) {
        URI address = URI.create(base);
        return (address.getHost() + '_' + address.getPort()).replaceAll("[^\\w.-]", "_");
    }

    private void print(Decision decision) {
        if (cairn.printer().isJson()) {
            cairn.printer()
                    .json(parameters(
                            "time",
                            Instant.now().toString(),
                            "decision",
                            decision.outcome().label(),
                            "subject",
                            decision.subject(),
                            "reason",
                            decision.reason()));
        } else {
            cairn.printer().line((dryRun ? "would be " : "") + Api.oneLine(decision.toString()));
        }
    }

    private static Map<String, Object> counts(Report report) {
        Map<String, Object> counts = new LinkedHashMap<>();
        for (Outcome outcome : Outcome.values()) {
            counts.put(outcome.label(), report.count(outcome));
        }
        counts.put("same", report.same());
        return counts;
    }

    private void counts(Report report, String first) {
        if (cairn.printer().isJson()) {
            cairn.printer().json(counts(report));
            return;
        }
        StringBuilder summary = new StringBuilder(first);
        counts(report).forEach((name, count) -> summary.append(' ')
                .append(name)
                .append(": ")
                .append(count)
                .append(';'));
        cairn.printer().line(summary.substring(0, summary.length() - 1));
    }

    private void finish(Report report, List<String> remaining) {
        if (cairn.printer().isJson()) {
            Map<String, Object> counts = counts(report);
            counts.put("notCarried", remaining);
            cairn.printer().json(counts);
            return;
        }
        counts(report, dryRun ? "Nothing was changed." : "Done.");
        cairn.printer().line("Not carried:");
        remaining.forEach(step -> cairn.printer().line("- " + Api.oneLine(step)));
    }

    static final class RuleConverter implements CommandLine.ITypeConverter<ConflictRule> {
        @Override
        public ConflictRule convert(String value) {
            for (ConflictRule rule : ConflictRule.values()) {
                if (rule.name().equalsIgnoreCase(value)) {
                    return rule;
                }
            }
            throw new CommandLine.TypeConversionException("'" + value + "' (expected: ask, newest, source or target)");
        }
    }
}
