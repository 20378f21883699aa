package io.cairn.cli;

import io.cairn.client.ClientBuilder;
import java.io.Console;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLEncoder;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

/** The command {@code cairn}: options of all commands, and their login. */
@Command(
        name = "cairn",
        description = "Works with a Cairn server over its HTTP API.",
        footer = {
            "",
            "Environment: CAIRN_SERVER, CAIRN_NAMESPACE and CAIRN_TOKEN stand for the options they are named like.",
            "Exit status: 0 done, 1 not done, 2 wrong usage."
        },
        synopsisSubcommandLabel = "COMMAND",
        versionProvider = Cairn.Version.class,
        sortOptions = false)
public final class Cairn implements Callable<Integer> {

    @Option(
            names = {"-s", "--server"},
            scope = ScopeType.INHERIT,
            paramLabel = "URL",
            description = "host:port or URL of the server (default: http://127.0.0.1:8848/nacos)")
    private @Nullable String server;

    @Option(
            names = {"-n", "--namespace"},
            scope = ScopeType.INHERIT,
            paramLabel = "ID",
            description = "namespace (default: public)")
    private @Nullable String namespace;

    @Option(
            names = {"-u", "--user"},
            scope = ScopeType.INHERIT,
            paramLabel = "NAME",
            description = "user for the login; the password is asked for, or read from --password-file")
    private @Nullable String user;

    @Option(
            names = "--password-file",
            scope = ScopeType.INHERIT,
            paramLabel = "FILE",
            description = "file with the user's password; - for standard input")
    private @Nullable String passwordFile;

    @Option(
            names = "--token-file",
            scope = ScopeType.INHERIT,
            paramLabel = "FILE",
            description = "file with a token, in place of a user (or the environment variable CAIRN_TOKEN)")
    private @Nullable String tokenFile;

    @Option(
            names = "--issuer",
            scope = ScopeType.INHERIT,
            paramLabel = "URL",
            description =
                    "OpenID Connect issuer that gives this command a token, in place of a user; needs --client-id, and the"
                            + " secret in --client-secret-file or the environment variable CAIRN_CLIENT_SECRET")
    private @Nullable String issuer;

    @Option(
            names = "--client-id",
            scope = ScopeType.INHERIT,
            paramLabel = "ID",
            description = "id of this command at the issuer")
    private @Nullable String clientId;

    @Option(
            names = "--client-secret-file",
            scope = ScopeType.INHERIT,
            paramLabel = "FILE",
            description = "file with the secret of this command at the issuer; - for standard input")
    private @Nullable String clientSecretFile;

    /** Read once: standard input has it once. */
    private @Nullable String clientSecret;

    @Option(
            names = "--ca-file",
            scope = ScopeType.INHERIT,
            paramLabel = "FILE",
            description = "certificates (PEM) trusted for https, in place of those of the JDK")
    private @Nullable Path caFile;

    @Option(
            names = "--timeout",
            scope = ScopeType.INHERIT,
            paramLabel = "SECONDS",
            converter = Numbers.Seconds.class,
            description = "timeout of one response (default: ${DEFAULT-VALUE})")
    private int timeoutSeconds = 30;

    @Option(names = "--json", scope = ScopeType.INHERIT, description = "print JSON")
    private boolean json;

    @Option(
            names = {"-h", "--help"},
            scope = ScopeType.INHERIT,
            usageHelp = true,
            description = "show this help")
    @SuppressWarnings("UnusedVariable") // picocli handles it
    private boolean help;

    @Option(
            names = {"-V", "--version"},
            versionHelp = true,
            description = "version of this command and its Java")
    @SuppressWarnings("UnusedVariable") // picocli handles it
    private boolean version;

    private final Map<String, String> environment;
    private final InputStream input;
    private @Nullable CommandLine line;
    private @Nullable Api api;
    private @Nullable String password;
    /** The requested namespace; empty for the default one, and without a request. */
    private String namespaceUsed = "";

    private @Nullable Boolean namespaceKnown;
    private boolean unknownNamespaceSaid;

    Cairn(Map<String, String> environment, InputStream input) {
        this.environment = environment;
        this.input = input;
    }

    public static void main(String[] arguments) {
        PrintWriter out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
        PrintWriter err = new PrintWriter(System.err, true, StandardCharsets.UTF_8);
        System.exit(new Cairn(System.getenv(), System.in).run(out, err, arguments));
    }

    /** Runs a command; returns its exit status. */
    int run(PrintWriter out, PrintWriter err, String... arguments) {
        CommandLine commands = commands();
        commands.setOut(out);
        commands.setErr(err);
        commands.setExecutionExceptionHandler((failure, command, parsed) -> {
            String message = said(failure);
            if (failure instanceof Failure refused && refused.isSaidByServer()) {
                message = OptionNames.inWordsOf(command.getCommandSpec(), message);
            }
            if (failure instanceof Failure && !message.contains("--namespace") && isNamespaceUnknown()) {
                message += "; " + unknownNamespace();
            }
            printError(err, message);
            return CommandLine.ExitCode.SOFTWARE;
        });
        commands.setExecutionStrategy(parsed -> {
            refuseEmpty(parsed);
            int status = new CommandLine.RunLast().execute(parsed);
            noticeUnknownNamespace();
            return status;
        });
        commands.setParameterExceptionHandler((wrong, parsed) -> {
            CommandLine command = wrong.getCommandLine();
            String message = saidOf(wrong);
            err.println("cairn: " + message + " (" + command.getCommandSpec().qualifiedName() + " --help tells more)");
            if (!isUnknownCommand(wrong)) {
                CommandLine.UnmatchedArgumentException.printSuggestions(wrong, err);
            }
            if (message.startsWith("Missing command")) {
                command.usage(err);
            }
            err.flush();
            return CommandLine.ExitCode.USAGE;
        });
        try {
            return commands.execute(arguments);
        } catch (RuntimeException | Error e) {
            // A fault outside of a command's own code.
            printError(err, said(e));
            return CommandLine.ExitCode.SOFTWARE;
        }
    }

    private void printError(PrintWriter err, String message) {
        err.println(json ? Json.write(Map.of("error", message)) : "cairn: " + message);
        err.flush();
    }

    /** A failure in one line. */
    static String said(Throwable failure) {
        if (failure instanceof NoSuchFileException missing) {
            return missing.getFile() + ": no such file";
        }
        if (failure instanceof Failure || failure instanceof IOException) {
            return String.valueOf(failure.getMessage());
        }
        StackTraceElement[] stack = failure.getStackTrace();
        return Api.oneLine(
                "fault of this command, please report it: " + failure + (stack.length == 0 ? "" : " at " + stack[0]));
    }

    private static boolean isUnknownCommand(CommandLine.ParameterException wrong) {
        return wrong instanceof CommandLine.UnmatchedArgumentException unmatched
                && !wrong.getCommandLine().getSubcommands().isEmpty()
                && !unmatched.getUnmatched().isEmpty()
                && !unmatched.getUnmatched().get(0).startsWith("-");
    }

    private static String unknownCommand(CommandLine.UnmatchedArgumentException wrong) {
        CommandLine command = wrong.getCommandLine();
        String typed = Api.oneLine(wrong.getUnmatched().get(0));
        String similar = wrong.getSuggestions().stream()
                .filter(suggested -> !suggested.startsWith("-"))
                .findFirst()
                .map(suggested -> "; did you mean " + suggested + '?')
                .orElse("");
        return "unknown command '" + typed + "' (expected: "
                + String.join(", ", command.getSubcommands().keySet()) + ')' + similar;
    }

    private static String saidOf(CommandLine.ParameterException wrong) {
        if (isUnknownCommand(wrong)) {
            return unknownCommand((CommandLine.UnmatchedArgumentException) wrong);
        }
        ArgSpec argument = wrong.getArgSpec();
        return wrong.getCause() instanceof Numbers.Unexpected unexpected && argument != null
                ? label(argument) + ": " + unexpected.getMessage()
                : Api.oneLine(String.valueOf(wrong.getMessage()));
    }

    private static String label(ArgSpec argument) {
        return argument instanceof OptionSpec option ? option.longestName() : argument.paramLabel();
    }

    private static void refuseEmpty(CommandLine.ParseResult parsed) {
        for (CommandLine.ParseResult each = parsed; each != null; each = each.subcommand()) {
            for (ArgSpec argument : each.matchedArgs()) {
                if (argument.required()
                        && argument.originalStringValues().stream().anyMatch(String::isBlank)) {
                    throw new CommandLine.ParameterException(
                            each.commandSpec().commandLine(),
                            label(argument) + (argument.isOption() ? ": empty" : " is missing"));
                }
            }
        }
    }

    CommandLine commands() {
        CommandLine commands = new CommandLine(this)
                .addSubcommand(new ConfigCommands(this))
                .addSubcommand(new GrayCommands(this))
                .addSubcommand(new ServiceCommands(this))
                .addSubcommand(new NamespaceCommands(this))
                .addSubcommand(new UserCommands(this))
                .addSubcommand(new RoleCommands(this))
                .addSubcommand(new PermissionCommands(this))
                .addSubcommand(new TokenCommands(this))
                .addSubcommand(new RuleCommands(this))
                .addSubcommand(new ClusterCommands(this))
                .addSubcommand(new NodesCommand(this))
                .addSubcommand(new ClientsCommand(this))
                .addSubcommand(new MeshCommands(this))
                .addSubcommand(new MigrateCommand(this))
                .addSubcommand(new AuditCommand(this))
                .addSubcommand(new BackupCommands.Backup(this))
                .addSubcommand(new BackupCommands.Restore(this))
                .addSubcommand(new DoctorCommand(this))
                .addSubcommand(new CompletionCommand(this));
        line = commands;
        return commands;
    }

    /** Prints the commands. */
    @Override
    public Integer call() {
        CommandLine commands = line();
        throw new CommandLine.ParameterException(commands, "Missing command");
    }

    CommandLine line() {
        CommandLine commands = line;
        if (commands == null) {
            throw new IllegalStateException("not parsed yet");
        }
        return commands;
    }

    static final class Version implements CommandLine.IVersionProvider {
        @Override
        public String[] getVersion() {
            String packed = Cairn.class.getPackage().getImplementationVersion();
            return new String[] {
                "cairn " + (packed == null ? "(not packed)" : packed) + ", Java " + System.getProperty("java.version")
            };
        }
    }

    /**
     * Prints a list up to the limit, and reports further items beside the result.
     *
     * @return the exit status
     */
    int list(String path, Map<String, String> asked, Limit limit, Printer.Column... columns) {
        Printer.Rows rows = printer().rows(columns);
        long all = api().pages(path, asked, limit.most(), rows::add);
        rows.print();
        if (all > limit.most()) {
            notice(limit.most() + " of " + all + " are shown (--limit)");
        }
        return all == 0 && isNamespaceUnknown() ? CommandLine.ExitCode.SOFTWARE : CommandLine.ExitCode.OK;
    }

    /**
     * Checks that a thing to delete exists, because the server answers alike in both cases.
     *
     * @param path of a list, narrowed by the parameters
     * @return false when the caller may not read the list
     * @throws Failure for an absent thing
     */
    boolean isPresent(String what, String path, Map<String, String> asked, Predicate<Object> isIt) {
        AtomicBoolean found = new AtomicBoolean();
        try {
            api().pages(path, asked, Integer.MAX_VALUE, item -> {
                if (isIt.test(item)) {
                    found.set(true);
                }
            });
        } catch (Failure e) {
            return unreadable(e);
        }
        if (!found.get()) {
            throw none(what);
        }
        return true;
    }

    /** False for missing rights; throws other failures. */
    static boolean unreadable(Failure failure) {
        if (failure.remedy() != Failure.Remedy.LOGIN) {
            throw failure;
        }
        return false;
    }

    static Failure none(String what) {
        return new Failure("there is no " + what);
    }

    /** Reports the deletion, or only its request if the thing is unreadable. */
    void deleted(@Nullable Object result, boolean known, String done, String what) {
        printer()
                .done(
                        result,
                        known ? done + ' ' + what : "Asked for: " + done + ' ' + what + ", which may not be read");
    }

    Printer printer() {
        return new Printer(line().getOut(), json);
    }

    PrintWriter errors() {
        return line().getErr();
    }

    /** Empty for the default one. */
    String namespace() {
        String named = namespace != null ? namespace : environment.getOrDefault("CAIRN_NAMESPACE", "");
        namespaceUsed = named.equals("public") ? "" : named;
        return namespaceUsed;
    }

    /** Null if absent, where that means all. */
    @Nullable
    String namedNamespace() {
        String named = namespace != null ? namespace : environment.get("CAIRN_NAMESPACE");
        return named == null || named.isEmpty() ? null : named;
    }

    /**
     * Reports an unknown namespace once, because the server treats it as empty. For commands that run on; others report it at their
     * end.
     */
    void noticeUnknownNamespace() {
        if (isNamespaceUnknown() && !unknownNamespaceSaid) {
            unknownNamespaceSaid = true;
            notice(unknownNamespace());
        }
    }

    private String unknownNamespace() {
        return "there is no namespace '" + Api.oneLine(namespaceUsed)
                + "' ('cairn namespace list' shows those that exist)";
    }

    /** Whether a command requested a namespace that the server does not know. */
    private boolean isNamespaceUnknown() {
        Api asked = api;
        if (namespaceUsed.isEmpty() || asked == null) {
            return false;
        }
        Boolean known = namespaceKnown;
        if (known == null) {
            known = isNamespaceKnown(asked);
            namespaceKnown = known;
        }
        return !known;
    }

    private boolean isNamespaceKnown(Api asked) {
        try {
            return Json.items(asked.get(NamespaceCommands.LIST, Api.parameters())).stream()
                    .anyMatch(each -> Json.text(each, "namespace").equals(namespaceUsed));
        } catch (Failure e) {
            // The command has reported the missing right or server.
            return true;
        }
    }

    Duration timeout() {
        return Duration.ofSeconds(timeoutSeconds);
    }

    String base() {
        String set = environment.getOrDefault("CAIRN_SERVER", "");
        // An empty variable counts as unset.
        String named = server != null ? server : set.isBlank() ? "127.0.0.1:8848" : set;
        return base(server != null ? "--server" : "CAIRN_SERVER", named);
    }

    /** The base URL of a server that an option names. */
    String base(String option, String named) {
        String url = named.contains("://") ? named : "http://" + named;
        if (!isAddress(url)) {
            // Hides a password before the host.
            throw usage(option + ": '"
                    + Api.oneLine(named.replaceAll("[^/]*@", "***@"))
                    + "' (expected: host:port or URL, such as 127.0.0.1:8848, [::1]:8848 or https://host:8848/nacos;"
                    + " port 1-65535)");
        }
        String rest = url.substring(url.indexOf("://") + 3);
        if (!rest.contains("/")) {
            url += "/nacos";
        }
        return url.endsWith("/") ? url.substring(0, url.length() - 1) : url;
    }

    private static boolean isAddress(String url) {
        try {
            URI uri = new URI(url);
            String authority = uri.getRawAuthority();
            return ("http".equalsIgnoreCase(uri.getScheme()) || "https".equalsIgnoreCase(uri.getScheme()))
                    && uri.getHost() != null
                    && uri.getRawUserInfo() == null
                    && uri.getRawQuery() == null
                    && uri.getRawFragment() == null
                    && !authority.endsWith(":")
                    && (uri.getPort() == -1 || (uri.getPort() >= 1 && uri.getPort() <= 65_535));
        } catch (URISyntaxException e) {
            return false;
        }
    }

    private CommandLine.ParameterException usage(String message) {
        return new CommandLine.ParameterException(line(), message);
    }

    /** Logged in, where a user or token was given. */
    Api api() {
        Api present = api;
        if (present == null) {
            present = anonymous();
            String token = token(present);
            if (token != null) {
                present.token(token);
            }
            api = present;
        }
        return present;
    }

    /** Whether another login may help against a refused token. */
    boolean canLogInAgain() {
        return tokenFile == null ? user != null || issuer != null : !tokenFile.equals("-");
    }

    /** Replaces the token by a new login, or by the present content of its file. */
    void logInAgain() {
        String token = token(anonymous());
        if (token != null) {
            api().token(token);
        }
    }

    /** Prints a text beside the result to the error stream. */
    void notice(String text) {
        errors().println(json ? Json.write(Map.of("notice", text)) : "cairn: " + text);
        errors().flush();
    }

    Api anonymous() {
        return new Api(base(), timeout(), trust());
    }

    /** The trusted authorities beside the platform's, or null. */
    @Nullable
    SSLContext trust() {
        return caFile == null ? null : Trust.of(caFile);
    }

    /** Gives a client the login of this command, if there is one. */
    void logIn(ClientBuilder client) {
        api();
        if (user != null && tokenFile == null && password != null) {
            client.credentials(user, password);
        } else if (tokenFile != null
                || issuer != null
                || !environment.getOrDefault("CAIRN_TOKEN", "").isBlank()) {
            client.tokens(() -> String.valueOf(token(anonymous())));
        }
    }

    private @Nullable String token(Api anonymous) {
        if (tokenFile != null) {
            return checkedToken("--token-file " + tokenFile, secret(tokenFile, "token"));
        }
        if (user != null) {
            // A file may have another one by now; a typed one is kept.
            if (password == null || (passwordFile != null && !passwordFile.equals("-"))) {
                password = passwordOf(user, passwordFile);
            }
            Object answer = Api.bare(
                    anonymous.send(anonymous.form(
                            "POST", "/v3/auth/user/login", Api.parameters("username", user, "password", password))),
                    "accessToken");
            return Json.text(answer, "accessToken");
        }
        if (issuer != null) {
            return checkedToken("--issuer " + issuer, issued(issuer));
        }
        String token = environment.get("CAIRN_TOKEN");
        return token == null || token.isBlank() ? null : checkedToken("CAIRN_TOKEN", token.strip());
    }

    /** A token of the issuer for this command. */
    private String issued(String url) {
        if (clientId == null) {
            throw usage("--issuer needs --client-id");
        }
        String secret = clientSecret;
        if (secret == null) {
            String given = environment.get("CAIRN_CLIENT_SECRET");
            if (clientSecretFile == null && (given == null || given.isBlank())) {
                throw usage("--issuer needs --client-secret-file or the environment variable CAIRN_CLIENT_SECRET");
            }
            secret = clientSecretFile == null ? String.valueOf(given).strip() : secret(clientSecretFile, "secret");
            clientSecret = secret;
        }
        Api api = new Api(url.endsWith("/") ? url.substring(0, url.length() - 1) : url, timeout(), trust());
        Object description = Api.bare(
                api.send(api.request("/.well-known/openid-configuration", Map.of())
                        .GET()),
                "token_endpoint");
        Api tokens = new Api(Json.text(description, "token_endpoint"), timeout(), trust());
        String pair = URLEncoder.encode(clientId, StandardCharsets.UTF_8)
                + ':'
                + URLEncoder.encode(secret, StandardCharsets.UTF_8);
        Object answer = Api.bare(
                tokens.send(tokens.form("POST", "", Api.parameters("grant_type", "client_credentials"))
                        .header(
                                "Authorization",
                                "Basic "
                                        + Base64.getEncoder()
                                                .encodeToString(pair.getBytes(StandardCharsets.US_ASCII)))),
                "access_token");
        return Json.text(answer, "access_token");
    }

    /** A token from a file, other than the login's. */
    String tokenOf(String option, String file) {
        return checkedToken(option + ' ' + file, secret(file, "token"));
    }

    /** @throws CommandLine.ParameterException without the token, which is a secret even if malformed */
    private String checkedToken(String source, String token) {
        if (token.isEmpty() || !token.chars().allMatch(letter -> letter > ' ' && letter < 0x7f)) {
            String given = token.isEmpty() ? "empty" : "has a space, a line end or a letter outside ASCII";
            throw usage(source + ": " + given + " (expected: one token on one line)");
        }
        return token;
    }

    /** The password of this command's login as that user, or null. */
    @Nullable
    String loginPasswordOf(String whose) {
        return whose.equals(user) ? password : null;
    }

    /** A password from a file or the terminal; never an argument, which every process can read. */
    @SuppressWarnings("SystemConsoleNull") // Null without a terminal before JDK 22
    String passwordOf(String whose, @Nullable String file) {
        if (file != null) {
            return secret(file, "password");
        }
        Console console = System.console();
        char[] typed = console == null ? null : console.readPassword("Password of %s: ", whose);
        if (typed == null) {
            throw new Failure("no terminal to ask for the password of " + whose + " (name a file with it)");
        }
        return new String(typed);
    }

    private String secret(String file, String what) {
        String text = text(file).strip();
        if (text.isEmpty()) {
            throw new Failure(file + " has no " + what + " in it");
        }
        return text;
    }

    /** A file, or standard input for {@code -}. */
    String text(String file) {
        try {
            byte[] bytes = file.equals("-") ? input.readAllBytes() : Files.readAllBytes(Path.of(file));
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new Failure((file.equals("-") ? "standard input" : file) + " is no text in UTF-8", e);
        } catch (NoSuchFileException e) {
            throw new Failure(file + ": no such file", e);
        } catch (IOException e) {
            throw new Failure(file + " cannot be read: " + e.getMessage(), e);
        }
    }
}
