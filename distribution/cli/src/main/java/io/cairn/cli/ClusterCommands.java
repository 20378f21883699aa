package io.cairn.cli;

import static io.cairn.cli.Api.parameters;

import picocli.CommandLine.Command;

@Command(name = "cluster", description = "The nodes of a cluster.", synopsisSubcommandLabel = "COMMAND")
final class ClusterCommands extends Group {

    ClusterCommands(Cairn cairn) {
        super(cairn);
    }

    @Command(
            name = "rotate-key",
            description = "Stores a new key for the messages between the nodes; restart all nodes together afterwards.")
    int rotateKey() {
        Object said = cairn.api().post("/v3/admin/core/cluster/key", parameters());
        cairn.printer().done(said, String.valueOf(said));
        return 0;
    }
}
