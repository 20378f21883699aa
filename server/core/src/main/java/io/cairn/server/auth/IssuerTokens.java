package io.cairn.server.auth;

import io.cairn.server.attention.Finding;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Verifies the tokens of an issuer outside this server. Thread-safe; never blocks. */
public interface IssuerTokens extends AutoCloseable {

    /** For a server that knows no issuer. */
    IssuerTokens NONE = new IssuerTokens() {
        @Override
        public int maxLength() {
            return 0;
        }

        @Override
        public @Nullable Reading read(String token) {
            return null;
        }

        @Override
        public @Nullable CompletionStage<?> awaitKeys(String token) {
            return null;
        }

        @Override
        public void report(Reading reading) {}

        @Override
        public @Nullable IssuerIdentity present(IssuedLogin login, long expiresAtMillis) {
            return null;
        }

        @Override
        public List<String> rules() {
            return List.of();
        }

        @Override
        public void storedRules(List<RoleRule> rules) {}

        @Override
        public void onWithdrawal(Runnable listener) {}

        @Override
        public List<Finding> findings() {
            return List.of();
        }

        @Override
        public void close() {}
    };

    sealed interface Reading permits Issued, Refused {}

    /** @param rules the matching rules */
    record Issued(IssuerIdentity identity, List<String> rules) implements Reading {

        public Issued {
            rules = List.copyOf(rules);
        }
    }

    /**
     * The sender does not learn the reason.
     *
     * @param reason a word for meters
     * @param detail for the log: the found value and the expected one
     * @param name of the caller, if the issuer has signed the token; else null
     */
    record Refused(String reason, String detail, @Nullable String name) implements Reading {}

    /** In characters; a longer token is refused unread. */
    int maxLength();

    /** Null for a token that names no issuer, such as a token of this server. */
    @Nullable
    Reading read(String token);

    /** Completes, never exceptionally, when the issuer was asked for a key that the token needs; null if {@link #read} decides now. */
    @Nullable
    CompletionStage<?> awaitKeys(String token);

    /** Counts a reading by which a request was decided, and logs a refusal. */
    void report(Reading reading);

    /** The identity of a former login, with the roles of the present rules; null for another issuer than the present one. */
    @Nullable
    IssuerIdentity present(IssuedLogin login, long expiresAtMillis);

    /** The rules of the settings, as {@code claim=value -> role}. */
    List<String> rules();

    /** Sets the rules that apply beside those of the settings; known tokens must then be read again. */
    void storedRules(List<RoleRule> rules);

    /** @param listener runs when the issuer has withdrawn a key; known tokens must then be read again */
    void onWithdrawal(Runnable listener);

    /** Findings about the issuer for operators. */
    List<Finding> findings();

    /** Ends the questions to the issuer. */
    @Override
    void close();
}
