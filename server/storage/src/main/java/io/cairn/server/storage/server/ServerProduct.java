package io.cairn.server.storage.server;

import java.util.List;
import java.util.Optional;

/** A product that database servers run, as the settings name it. */
public interface ServerProduct {

    String name();

    /** The values of {@code spring.sql.init.platform}, in small letters; the usual one first. */
    List<String> platforms();

    String urlForm();

    boolean isUrl(String url);

    /** An option of the URL that belongs to another product. */
    default Optional<String> unfitOption(String url) {
        return Optional.empty();
    }

    /** The only driver that a setting may name; empty where that setting has no effect. */
    default Optional<String> driver() {
        return Optional.empty();
    }

    /** Environment variables of Nacos's container image. */
    record Variables(String host, String port, String database, String options, String user, String password) {}

    Optional<Variables> containerVariables();

    int usualPort();

    /** The URL of a database without options. */
    String url(String host, int port, String database);

    /** Connects to nothing. */
    DatabaseServer open(ServerSettings settings);
}
