package io.cairn.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The Java code of the guides compiles as it is pasted; this module has all of it on its class path. */
class GuideSnippetsTest {

    private static final Path GUIDE = Path.of("..", "..", "..", "docs", "guide");
    private static final Pattern CODE = Pattern.compile("```java\\n(.*?)```", Pattern.DOTALL);
    private static final Pattern CLASS = Pattern.compile("^(?:public )?class (\\w+)", Pattern.MULTILINE);

    @TempDir
    Path compiled;

    @ParameterizedTest
    @CsvSource({"java-client.md, 1", "java-client-naming.md, 2", "spring-boot.md, 1", "testing.md, 3"})
    void theCodeOfAPageCompiles(String page, int snippets) throws IOException {
        List<String> problems = new ArrayList<>();
        int found = 0;
        Matcher code = CODE.matcher(Files.readString(GUIDE.resolve(page)));
        while (code.find()) {
            found++;
            problems.addAll(problemsOf(code.group(1)));
        }

        assertThat(problems).isEmpty();
        assertThat(found).isEqualTo(snippets);
    }

    private List<String> problemsOf(String code) {
        Matcher name = CLASS.matcher(code);
        if (!name.find()) {
            return List.of("no class in: " + code);
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        DiagnosticCollector<JavaFileObject> diagnostics = new DiagnosticCollector<>();
        JavaFileObject source =
                new SimpleJavaFileObject(
                        URI.create("string:///" + name.group(1) + ".java"), JavaFileObject.Kind.SOURCE) {
                    @Override
                    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                        return code;
                    }
                };
        List<String> options =
                List.of("-proc:none", "-cp", System.getProperty("java.class.path"), "-d", compiled.toString());
        compiler.getTask(null, null, diagnostics, options, null, List.of(source))
                .call();
        return diagnostics.getDiagnostics().stream()
                .filter(each -> each.getKind() == Diagnostic.Kind.ERROR)
                .map(each -> name.group(1) + ", line " + each.getLineNumber() + ": " + each.getMessage(null))
                .toList();
    }
}
