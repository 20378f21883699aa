package io.cairn.server.http.access;

import io.cairn.server.http.route.Parameter;

/** The parameters of requests about users, roles and permissions. */
public final class AccountParameters {

    public static final Parameter<String> USERNAME = Parameter.exact("username", "The name of the user");
    public static final Parameter<String> RESOURCE =
            Parameter.exact("resource", "The resource, as namespace:group:type/name, each part a pattern");
    public static final Parameter<String> ACTION =
            Parameter.exact("action", "The action").values("r", "w", "rw", "drain");

    static final Parameter<String> PASSWORD = Parameter.exact("password", "The password");
    static final Parameter<String> NEW_PASSWORD = Parameter.exact("newPassword", "The new password");
    static final Parameter<String> OLD_PASSWORD = Parameter.exact("oldPassword", "The present password");
    static final Parameter<String> ROLE = Parameter.exact("role", "The role");

    private AccountParameters() {}
}
