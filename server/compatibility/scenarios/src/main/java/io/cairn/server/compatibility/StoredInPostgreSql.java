package io.cairn.server.compatibility;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/** Has the scenarios of a class use a server with PostgreSQL in place of the {@link SharedServer}. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(PostgreSqlServer.class)
@Tag("full")
@interface StoredInPostgreSql {}
