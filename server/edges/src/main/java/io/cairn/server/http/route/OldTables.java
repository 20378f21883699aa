package io.cairn.server.http.route;

import io.cairn.server.http.HttpRequest;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Declares the routes that are not declared yet, by the tables. Goes with the last of them. */
public final class OldTables {

    private OldTables() {}

    public static HttpRoute declared(HttpRoute route, HttpAuthorizer gate, NamedOperations named) {
        if (route.operation() != Operation.UNDECLARED) {
            return route;
        }
        HttpRule rule = gate.access().of(List.of(route)).get(route);
        Right<HttpRequest> right = right(rule);
        OldOperation old = named.describe(route).old();
        if (old == null) {
            return route.with(Operation.unlisted(right));
        }
        StringBuilder parameters = new StringBuilder();
        for (OldOperation.Parameter parameter : old.parameters()) {
            parameters
                    .append(parameter.inHeader() ? "@" : "")
                    .append(parameter.name())
                    .append(parameter.required() ? "!" : "")
                    .append(':')
                    .append(parameter.type())
                    .append(' ');
        }
        Form<HttpRequest> form = Form.of(parameters.toString());
        if (old.body() != null) {
            form = form.with(Form.Body.valueOf(old.body().name()));
        }
        Operation.Answers<HttpRequest> answers = Operation.of(form)
                .needs(right)
                .answers(answer(old.answer()))
                .as(Operation.Wrapping.valueOf(old.form().name()));
        Function<HttpRequest, HttpAudit.@Nullable Done> done = gate.audit().of(route);
        if (done != null) {
            answers = answers.recordedAs(done);
        }
        return route.with(answers.says(old.summary()));
    }

    private static Answer answer(String name) {
        String page = "Page of ";
        if (name.startsWith(page)) {
            return new Answer(Answer.Kind.PAGE, name.substring(page.length()), null);
        }
        return name.startsWith("[") ? Answer.listOf(name.substring(1, name.length() - 1)) : Answer.of(name);
    }

    private static Right<HttpRequest> right(@Nullable HttpRule rule) {
        if (rule == null) {
            throw new IllegalStateException("no rule");
        }
        if (rule == HttpRule.OPEN) {
            return Right.open();
        }
        // Rules that read the request already turn what they cannot read into a question for administrators.
        return Right.of(rule::check);
    }
}
