package io.cairn.server.storage;

import io.cairn.server.storage.mysql.MySql;
import io.cairn.server.storage.postgresql.PostgreSql;
import io.cairn.server.storage.server.ServerProduct;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** The products of database servers that a setting can name. */
public final class DatabaseProducts {

    private static final List<ServerProduct> ALL = List.of(new MySql(), new PostgreSql());

    private DatabaseProducts() {}

    /** The product of a value of {@code spring.sql.init.platform}; empty for an unsupported value. */
    public static Optional<ServerProduct> ofPlatform(String platform) {
        String name = platform.toLowerCase(Locale.ROOT);
        return ALL.stream()
                .filter(product -> product.platforms().contains(name))
                .findFirst();
    }

    /** The usual values of that setting, for messages. */
    public static String platforms() {
        return ALL.stream().map(product -> product.platforms().get(0)).collect(Collectors.joining(" or "));
    }
}
