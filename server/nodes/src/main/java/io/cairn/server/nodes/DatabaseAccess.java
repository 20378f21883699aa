package io.cairn.server.nodes;

import java.util.List;

/**
 * A schema and the user who may do anything in it.
 *
 * @param url the JDBC URL of the schema
 */
public record DatabaseAccess(String url, String user, String password) {

    /** The settings by which a server uses the schema, as program arguments. */
    public List<String> arguments() {
        return List.of(
                "--spring.sql.init.platform=mysql",
                "--db.num=1",
                "--db.url.0=" + url,
                "--db.user.0=" + user,
                "--db.password.0=" + password);
    }
}
