package io.cairn.cli;

import io.cairn.cli.AccountLists.Kind;
import io.cairn.cli.migrate.SideException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

final class RemainingSteps {

    private final BridgeServer source;

    RemainingSteps(BridgeServer source) {
        this.source = source;
    }

    /** @param accountsCarried whether users, roles and permissions are at the target */
    List<String> list(boolean accountsCarried) {
        List<String> steps = new ArrayList<>();
        steps.add("the history of the configurations");
        steps.add("services and their instances, except with --follow");
        steps.add(
                "the passwords of users: no API gives them out; the guide (migrating.md) shows the way by the database");
        if (accountsCarried) {
            return steps;
        }
        try {
            collect(steps, Kind.USER, user -> "cairn user create " + Json.text(user, "username"));
            collect(
                    steps,
                    Kind.ROLE,
                    role -> "cairn user grant " + Json.text(role, "username") + ' ' + Json.text(role, "role"));
            collect(
                    steps,
                    Kind.PERMISSION,
                    right -> "cairn permission grant " + Json.text(right, "role") + " '" + Json.text(right, "resource")
                            + "' " + Json.text(right, "action"));
        } catch (SideException e) {
            steps.add("users, roles and permissions, which could not be read: " + e.getMessage());
        }
        return steps;
    }

    private void collect(List<String> steps, Kind kind, Function<Object, String> step) {
        AccountLists.of(source, kind).forEach(item -> steps.add(step.apply(item)));
    }
}
