package io.cairn.cli;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The completion script, run in the shells that it is for. */
class CompletionIT {

    @TempDir
    Path folder;

    @BeforeEach
    void requiresUnix() {
        assumeTrue(File.separatorChar == '/', "the shells are those of Unix");
    }

    private Path completion(String shell) throws Exception {
        CairnCommandIT.Answer answer = CairnCommandIT.run(Map.of(), "", "completion", shell);
        assertThat(answer.status()).as(answer.toString()).isZero();
        return Files.writeString(folder.resolve("completion." + shell), answer.out());
    }

    @Test
    void bashCompletesCommandsAndOptions() throws Exception {
        assumeTrue(isThere("bash"), "no bash on the PATH");
        String said = run("bash", "-c", """
                source "$1" || exit 9
                compopt() { :; } # only a shell that completes has it
                try() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _complete_cairn; echo "${COMPREPLY[@]}"; }
                try cairn conf
                try cairn config rol
                try cairn config get --gr
                """, "bash", completion("bash").toString());

        assertThat(said.lines().map(String::strip)).containsExactly("config", "rollback", "--group");
    }

    /** Types at a pseudo terminal: zsh offers no other way to test a completion. */
    @Test
    void zshCompletesCommandsAndOptions() throws Exception {
        assumeTrue(isThere("zsh"), "no zsh on the PATH");
        String said = run("zsh", "-f", "-c", """
                zmodload zsh/zpty || exit 9
                zpty shell "HOME=${(q)2} PS1=: zsh -f -i"
                until_seen() { local out; zpty -r -m shell out "*$1*" && print -r -- "saw $1"; }
                zpty -w shell "source ${(q)1}; print loa''ded"
                until_seen loaded
                zpty -w -n shell $'cairn conf\\t rol\\t'
                until_seen rollback
                zpty -w -n shell $'\\x15cairn config get --gr\\t'
                until_seen --group
                zpty -d shell
                """, "zsh", completion("zsh").toString(), folder.toString());

        assertThat(said.lines()).containsExactly("saw loaded", "saw rollback", "saw --group");
    }

    private static boolean isThere(String command) {
        return Stream.of(System.getenv("PATH").split(File.pathSeparator))
                .anyMatch(part -> Files.isExecutable(Path.of(part, command)));
    }

    private String run(String... command) throws Exception {
        Path output = folder.resolve("output");
        Process process = new ProcessBuilder(List.of(command))
                .redirectErrorStream(true)
                .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
                .redirectOutput(output.toFile())
                .start();
        if (!process.waitFor(PATIENCE.multipliedBy(2).toSeconds(), TimeUnit.SECONDS)) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly().waitFor();
            throw new AssertionError(command[0] + " did not end: " + Files.readString(output));
        }
        String said = Files.readString(output, StandardCharsets.UTF_8);
        assertThat(process.exitValue()).as(said).isZero();
        return said;
    }
}
