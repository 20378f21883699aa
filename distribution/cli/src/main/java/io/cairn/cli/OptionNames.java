package io.cairn.cli;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

/** Maps parameters of the HTTP API in the server's messages to a command's options and arguments. */
final class OptionNames {

    /** By parameter, the options or arguments that set it; a message uses the option of its command. */
    private static final Map<String, String[]> NAMES = Map.ofEntries(
            name("overwrite", "--overwrite"),
            name("dryRun", "--dry-run"),
            name("policy", "--policy"),
            name("history", "--no-history"),
            name("audit", "--audit"),
            name("validate", "--validate"),
            name("namespaceId", "ID", "--namespace"),
            name("namespaceName", "NAME"),
            name("namespaceDesc", "--description"),
            name("tenant", "--namespace"),
            name("namespaceId/tenant", "ID", "--namespace"),
            name("dataId", "DATA_ID", "--data-id"),
            name("groupName", "--group"),
            name("group", "--group"),
            name("content", "--file"),
            name("type", "--type"),
            name("desc", "--description"),
            name("configTags", "--tags"),
            name("appName", "--app"),
            name("encryptedDataKey", "--encrypted-data-key"),
            name("nid", "NID", "--nid"),
            name("version", "--from or --to"),
            name("serviceName", "SERVICE"),
            name("ip", "--ip"),
            name("port", "--port"),
            name("clusterName", "--cluster"),
            name("cluster", "--cluster"),
            name("weight", "--weight"),
            name("metadata", "--metadata"),
            name("username", "NAME"),
            name("password", "--new-password-file"),
            name("newPassword", "--new-password-file"),
            name("oldPassword", "--old-password-file"),
            name("role", "ROLE", "--role"),
            name("resource", "RESOURCE", "--scope"),
            name("action", "ACTION", "--scope"),
            name("scopes", "--scope"),
            name("ttl", "--ttl"),
            name("ttlSeconds", "--ttl"),
            name("proxy", "--proxy"),
            name("flavour", "--flavour"),
            name("pageSize", "--limit"));

    private static final String FILE = "--file";

    static final String STANDARD_INPUT = "standard input";

    /** Forms of parameters in messages: {@code overwrite=true}, {@code 'dataId'}, {@code namespaceId [x]}, {@code ttl: 5}. */
    private static final Pattern NAMED = NAMES.keySet().stream()
            .sorted((a, b) -> b.length() - a.length())
            .collect(Collectors.collectingAndThen(
                    Collectors.joining("|"),
                    names -> Pattern.compile("(?<![\\w.-])(" + names + ")(=(?:true|false)\\b|(?=')|(?= \\[)|(?=: ))")));

    private OptionNames() {}

    private static Map.Entry<String, String[]> name(String parameter, String... options) {
        return Map.entry(parameter, options);
    }

    /** Replaces parameters by the command's options, and the content by its file name. */
    static String inWordsOf(CommandSpec command, String text) {
        return NAMED.matcher(text).replaceAll(found -> {
            String option = option(command, found.group(1));
            return Matcher.quoteReplacement(option == null ? found.group() : option);
        });
    }

    private static @Nullable String option(CommandSpec command, String parameter) {
        for (String option : NAMES.getOrDefault(parameter, new String[0])) {
            String first = option.split(" ", 2)[0];
            if (first.equals(FILE) && command.findOption(FILE) != null) {
                Object given = command.findOption(FILE).getValue();
                return "-".equals(given) ? STANDARD_INPUT : String.valueOf(given);
            }
            if (first.startsWith("-")
                    ? command.findOption(first) != null
                    : command.positionalParameters().stream()
                            .anyMatch(argument -> argument.paramLabel().equals(first))) {
                return option;
            }
        }
        return null;
    }
}
