package io.cairn.server.auth;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The login of people at an issuer outside this server: their browser is sent there and comes back with a code. What a node has to
 * remember of a login is in sealed cookies, so that the answer may reach another node. Thread-safe; never blocks.
 */
public interface IssuerLogin {

    /** For a server without an issuer. */
    IssuerLogin NONE = new IssuerLogin() {
        @Override
        public @Nullable Offer offer() {
            return null;
        }

        @Override
        public Reply begin(@Nullable String view) {
            throw unsupported();
        }

        @Override
        public CompletionStage<Reply> finish(
                Answer answer, Function<String, @Nullable String> cookies, String address) {
            throw unsupported();
        }

        @Override
        public @Nullable Exchanged exchange(String code, Function<String, @Nullable String> cookies) {
            throw unsupported();
        }

        @Override
        public Reply logout(@Nullable String idToken, Function<String, @Nullable String> cookies) {
            throw unsupported();
        }

        private CairnException unsupported() {
            return new CairnException(
                    ErrorCode.UNSUPPORTED,
                    "people log in here with a user name and a password (expected: cairn.auth.oidc.public-url and"
                            + " client-id in the settings)");
        }
    };

    /**
     * How the login is offered.
     *
     * @param label of the button; empty for that of the console
     * @param url where it begins
     */
    record Offer(String label, String url) {}

    /** The parameters with which the issuer sends a browser back. */
    record Answer(
            @Nullable String code,
            @Nullable String state,
            @Nullable String error,
            @Nullable String issuer) {}

    /** @param seconds until the browser forgets it; 0 for at once */
    record Cookie(String name, String value, String path, long seconds, boolean isSecure, boolean isStrict) {}

    /** Sends a browser elsewhere. */
    record Reply(String location, List<Cookie> cookies) {

        public Reply {
            cookies = List.copyOf(cookies);
        }
    }

    /**
     * A token of this server.
     *
     * @param expiresAtMillis epoch milliseconds
     */
    record Exchanged(String token, long expiresAtMillis, List<Cookie> cookies) {

        public Exchanged {
            cookies = List.copyOf(cookies);
        }
    }

    /** Null where people cannot log in this way. */
    @Nullable
    Offer offer();

    /** @param view of the console that is shown after the login; null for its first one */
    Reply begin(@Nullable String view);

    /**
     * Sends the browser back to the console: with a code for {@link #exchange}, or with the fact that it is not logged in; the
     * reason is in the log. Never fails.
     */
    CompletionStage<Reply> finish(Answer answer, Function<String, @Nullable String> cookies, String address);

    /** Null unless this browser has just got the code. */
    @Nullable
    Exchanged exchange(String code, Function<String, @Nullable String> cookies);

    /** Sends the browser to the logout of the issuer, where it has one, and back to the console. */
    Reply logout(@Nullable String idToken, Function<String, @Nullable String> cookies);
}
