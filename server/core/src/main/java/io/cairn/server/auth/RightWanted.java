package io.cairn.server.auth;

import io.cairn.api.config.Namespace;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A policy that allows nothing and keeps the right for which it was asked last, as an administrator grants it. For one check in one
 * thread.
 */
public final class RightWanted extends AccessPolicy {

    private String right = "";
    private Namespace namespace = Namespace.DEFAULT;

    public RightWanted() {
        super(true);
    }

    /** Action and resource with a wildcard for names: {@code w dev:*:config/*}. Empty when a login is enough. */
    public String right() {
        return right;
    }

    public Namespace namespace() {
        return namespace;
    }

    @Override
    public Denial check(
            Identity who, Action action, Namespace wanted, @Nullable String group, ResourceType type, String name) {
        return ask(action, wanted, type.word());
    }

    @Override
    public Denial checkEnter(Identity who, Action action, Namespace wanted, ResourceType type) {
        return ask(action, wanted, type.word());
    }

    @Override
    public Denial checkEnter(Identity who, Namespace wanted) {
        return ask(Action.READ, wanted, "*");
    }

    @Override
    public Denial checkAnywhere(Identity who, Action action) {
        right = action.stored() + " *:*:*";
        return Denial.NO_RIGHT;
    }

    @Override
    public Denial checkKnown(Identity who) {
        return Denial.NO_RIGHT;
    }

    @Override
    public Denial checkAdmin(Identity who) {
        right = "administrator";
        return Denial.NO_RIGHT;
    }

    @Override
    public Denial checkSelf(Identity who, @Nullable String username) {
        return Denial.NO_RIGHT;
    }

    private Denial ask(Action action, Namespace wanted, String type) {
        namespace = Objects.requireNonNull(wanted);
        right = action.stored() + ' ' + wanted + ":*:" + type + (type.equals("*") ? "" : "/*");
        return Denial.NO_RIGHT;
    }
}
