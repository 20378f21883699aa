package io.cairn.cli;

import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(name = "completion", description = "Prints a script for shell completion: source <(cairn completion bash)")
final class CompletionCommand implements Callable<Integer> {

    private final Cairn cairn;

    @Parameters(paramLabel = "SHELL", description = "${COMPLETION-CANDIDATES}")
    private Shell shell = Shell.bash;

    enum Shell {
        bash,
        zsh
    }

    CompletionCommand(Cairn cairn) {
        this.cairn = cairn;
    }

    @Override
    public Integer call() {
        String script = AutoComplete.bash("cairn", cairn.line());
        cairn.printer()
                .raw(
                        shell == Shell.zsh
                                ? "autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n"
                                        + script
                                : script);
        return 0;
    }
}
