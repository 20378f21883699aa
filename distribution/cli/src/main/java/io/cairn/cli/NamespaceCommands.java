package io.cairn.cli;

import static io.cairn.cli.Api.parameters;

import io.cairn.cli.Printer.Column;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(name = "namespace", description = "Namespaces.", synopsisSubcommandLabel = "COMMAND")
final class NamespaceCommands extends Group {

    private static final String PATH = "/v3/admin/core/namespace";
    static final String LIST = PATH + "/list";

    NamespaceCommands(Cairn cairn) {
        super(cairn);
    }

    @Command(name = "list", description = "Lists the namespaces.")
    int list() {
        List<?> namespaces = namespaces();
        cairn.printer()
                .table(
                        namespaces,
                        namespaces,
                        Column.of("ID", "namespace"),
                        Column.of("NAME", "namespaceShowName"),
                        Column.of("CONFIGURATIONS", "configCount"),
                        Column.of("DESCRIPTION", "namespaceDesc"));
        return 0;
    }

    private List<?> namespaces() {
        return Json.items(cairn.api().get(LIST, parameters()));
    }

    @Command(name = "create", description = "Creates a namespace.")
    int create(
            @Parameters(index = "0", paramLabel = "ID") String id,
            @Parameters(index = "1", arity = "0..1", paramLabel = "NAME", description = "default: the id") @Nullable
                    String name,
            @Option(names = "--description", paramLabel = "TEXT") @Nullable String description) {
        Object result = cairn.api()
                .post(
                        PATH,
                        parameters(
                                "namespaceId",
                                id,
                                "namespaceName",
                                name == null ? id : name,
                                "namespaceDesc",
                                description));
        cairn.printer().done(result, "Created namespace " + id);
        return 0;
    }

    @Command(name = "delete", description = "Deletes a namespace, but not its configurations and services.")
    int delete(@Parameters(paramLabel = "ID") String id) {
        if (id.equals("public")) {
            throw new Failure("namespace public cannot be deleted: every server has it");
        }
        boolean known;
        try {
            known = namespaces().stream()
                    .anyMatch(namespace -> Json.text(namespace, "namespace").equals(id));
            if (!known) {
                throw Cairn.none("namespace " + id);
            }
        } catch (Failure e) {
            known = Cairn.unreadable(e);
        }
        Object result = cairn.api().delete(PATH, parameters("namespaceId", id));
        cairn.deleted(result, known, "Deleted", "namespace " + id);
        return 0;
    }
}
