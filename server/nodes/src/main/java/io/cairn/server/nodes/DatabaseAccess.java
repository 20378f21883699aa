package io.cairn.server.nodes;

import java.util.List;

/**
 * A schema and a user with all rights.
 *
 * @param url the JDBC URL of the schema
 */
public record DatabaseAccess(String url, String user, String password) {

    public List<String> arguments() {
        return List.of(
                "--spring.sql.init.platform=" + url.split(":")[1],
                "--db.num=1",
                "--db.url.0=" + url,
                "--db.user.0=" + user,
                "--db.password.0=" + password);
    }
}
