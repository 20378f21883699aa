package io.cairn.server.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.wire.JsonInput;
import io.cairn.api.wire.Payload;
import io.cairn.api.wire.WireError;
import io.cairn.api.wire.WireResponse;
import io.cairn.api.wire.config.ConfigRemoveRequest;
import io.cairn.server.admission.MemoryBudget;
import io.cairn.server.auth.AccessPolicy;
import io.cairn.server.auth.AccountChange;
import io.cairn.server.auth.AccountRows;
import io.cairn.server.auth.AccountStore;
import io.cairn.server.auth.Accounts;
import io.cairn.server.auth.Action;
import io.cairn.server.auth.AuditRecord;
import io.cairn.server.auth.Authenticator;
import io.cairn.server.auth.ClientsWithoutLogin;
import io.cairn.server.auth.Denial;
import io.cairn.server.auth.IssuerTokens;
import io.cairn.server.auth.LoginThrottle;
import io.cairn.server.auth.MachineToken;
import io.cairn.server.auth.Principal;
import io.cairn.server.auth.SigningKeys;
import io.cairn.server.auth.UserTokens;
import io.cairn.server.config.ConfigDraft;
import io.cairn.server.connection.ClientConnection;
import io.cairn.server.connection.ClientIdentity;
import io.cairn.server.connection.FakeTransport;
import io.cairn.server.limit.Limit;
import io.cairn.server.limit.RequestLimit;
import io.cairn.server.push.PushQueue;
import io.cairn.server.rpc.MessageHandler.Watching;
import io.cairn.server.rpc.connection.HealthCheckHandler;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class MessageRouterTest {

    private static final String TYPE = "ConfigRemoveRequest";
    private static final String ANSWER = "ConfigRemoveResponse";
    private static final String ALLOWED = "{\"dataId\":\"a\",\"group\":\"g\",\"tenant\":\"mine\"}";
    private static final String FORBIDDEN = "{\"dataId\":\"a\",\"group\":\"g\",\"tenant\":\"other\"}";
    private static final String WITHOUT_NAME = "{\"dataId\":\"\",\"group\":\"g\",\"tenant\":\"other\"}";
    private static final String MALFORMED = "{\"dataId\":";

    private final MachineToken token = MachineToken.create(new SecureRandom());
    private final MachineToken unknownToken = MachineToken.create(new SecureRandom());
    private final CountingHandler handler = new CountingHandler();
    private final List<RpcAuthorizer.Refusal<?>> refusals = new ArrayList<>();
    private final MemoryBudget budget = new MemoryBudget(64 << 20);
    private final ClientConnection connection = new ClientConnection(
            "1_127.0.0.1_5",
            new ClientIdentity("127.0.0.1", "", "", Map.of()),
            FakeTransport.unused(Runnable::run),
            new NoEnvironment());
    private int onWorkPool;

    /** Deletes nothing, and counts how often each of its methods is called. */
    private static final class CountingHandler implements MessageHandler<ConfigRemoveRequest> {

        private static final MessageRight<ConfigRemoveRequest> RIGHT = MessageRight.config(
                Action.WRITE, request -> ConfigDraft.key(request.dataId(), request.group(), request.tenant()));

        private Watching watching = Watching.NOTHING;
        private @Nullable Error failure;
        private @Nullable ConfigRemoveRequest read;
        private @Nullable ConfigRemoveRequest handled;
        private @Nullable Principal caller;
        private int reads;

        @Override
        public String requestType() {
            return TYPE;
        }

        @Override
        public String responseType() {
            return ANSWER;
        }

        @Override
        public ConfigRemoveRequest read(Payload message) {
            reads++;
            read = JsonInput.read(message, ConfigRemoveRequest::read);
            return read;
        }

        @Override
        public MessageRight<ConfigRemoveRequest> right() {
            return RIGHT;
        }

        @Override
        public Watching watching() {
            return watching;
        }

        @Override
        public CompletionStage<Payload> handle(
                ConfigRemoveRequest request, ClientConnection connection, Principal principal) {
            if (failure != null) {
                throw failure;
            }
            handled = request;
            caller = principal;
            return CompletableFuture.completedFuture(WireResponse.ok(ANSWER));
        }

        @Override
        public Payload refused(CairnException refusal) {
            int code = refusal.code() == ErrorCode.BUSY ? WireError.OVER_THRESHOLD : WireError.INVALID_PARAMETER;
            return WireResponse.failed(ANSWER, code, refusal.text(), null);
        }
    }

    /** One token, which may do everything in the namespace {@code mine}. */
    private final class OneToken implements AccountStore {

        @Override
        public AccountRows load() {
            return new AccountRows(
                    List.of(),
                    List.of(),
                    List.of(),
                    List.of(new AccountRows.Token(
                            token.id(),
                            "robot",
                            token.digest(),
                            List.of(new AccountRows.Scope("mine:*:*", "rw")),
                            "admin",
                            0,
                            Long.MAX_VALUE,
                            0)),
                    List.of());
        }

        @Override
        public CompletionStage<AccountChange.Outcome> apply(List<AccountChange> changes, AuditRecord record) {
            throw new AssertionError("no account is changed here");
        }
    }

    private static final class NoEnvironment implements ClientConnection.Environment {

        @Override
        public PushQueue newPushQueue(ClientConnection of) {
            throw new AssertionError("nothing is pushed here");
        }

        @Override
        public void dropped(ClientConnection dropped, String reason) {
            throw new AssertionError("no connection is closed here");
        }
    }

    private MessageRouter router(boolean login) {
        return router(login, Long.MAX_VALUE);
    }

    private MessageRouter router(boolean login, long requestsPerSecond) {
        Clock clock = Clock.systemUTC();
        Accounts accounts = new Accounts(new OneToken());
        accounts.reload();
        Authenticator authenticator = new Authenticator(
                accounts,
                new UserTokens(SigningKeys.of(new byte[32]), clock, Duration.ofHours(1)),
                IssuerTokens.NONE,
                new LoginThrottle(
                        new LoginThrottle.Limits(1, 1, 1, Duration.ofSeconds(1), Duration.ofSeconds(1)), clock),
                null,
                clock,
                Runnable::run);
        RpcAuthorizer authorizer = new RpcAuthorizer(
                new AccessPolicy(login),
                authenticator,
                new RequestLimit(new Limit("requests-per-second", "a setting", requestsPerSecond)),
                new ClientsWithoutLogin(false, clock));
        authorizer.onRefusal(refusals::add);
        return new MessageRouter(
                List.of(handler, new HealthCheckHandler()),
                new SimpleMeterRegistry(),
                () -> true,
                task -> {
                    onWorkPool++;
                    task.run();
                },
                budget,
                authorizer);
    }

    private Payload route(MessageRouter router, Payload message) {
        List<Payload> answers = new ArrayList<>();
        router.route(message, connection, connection.id(), answers::add);
        assertThat(answers).as("answers to one request").hasSize(1);
        assertThat(budget.reservedBytes()).as("memory that is not given back").isZero();
        return answers.get(0);
    }

    private static Payload message(@Nullable MachineToken of, String body) {
        return Payload.of(
                TYPE,
                "127.0.0.1",
                of == null ? Map.of() : Map.of("accessToken", of.text()),
                body.getBytes(StandardCharsets.UTF_8));
    }

    private static String large(String body) {
        return body + " ".repeat(MessageRouter.LARGE_BODY_BYTES + 1);
    }

    private void assertDenied(Payload answer, Denial why) {
        assertThat(answer.type()).isEqualTo(ANSWER);
        assertThat(answer.bodyText()).contains("\"errorCode\":403", "\"message\":\"" + why.text() + '"');
        assertThat(handler.handled).isNull();
    }

    private static void assertMalformed(Payload answer) {
        assertThat(answer.type()).isEqualTo("ErrorResponse");
        assertThat(answer.bodyText()).contains("\"errorCode\":502", "Nacos deserialize failed");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void readsEachBodyOnceAndPassesTheSameRequestToTheHandler(boolean login) {
        Payload answer = route(router(login), message(token, ALLOWED));

        assertThat(answer.bodyText()).contains("\"success\":true");
        assertThat(handler.reads).isEqualTo(1);
        assertThat(handler.handled).isNotNull().isSameAs(handler.read);
        assertThat(handler.caller).extracting(Principal::name).isEqualTo(login ? "robot" : "");
        assertThat(onWorkPool).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void readsLargeBodyOnceOnTheWorkPool(boolean login) {
        assertThat(route(router(login), message(token, large(ALLOWED))).bodyText())
                .contains("\"success\":true");

        assertThat(handler.reads).isEqualTo(1);
        assertThat(onWorkPool).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {ALLOWED, FORBIDDEN, WITHOUT_NAME, MALFORMED})
    void refusesUnknownCallerWithoutReadingItsBody(String body) {
        MessageRouter router = router(true);

        assertDenied(route(router, message(null, body)), Denial.NO_USER);
        assertDenied(route(router, message(unknownToken, body)), Denial.BAD_TOKEN);
        assertDenied(route(router, message(null, large(body))), Denial.NO_USER);

        assertThat(handler.reads).isZero();
        assertThat(refusals).hasSize(3).allSatisfy(refusal -> {
            assertThat(refusal.request()).isNull();
            assertThat(refusal.user()).isNull();
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void refusesMalformedBodyOfKnownCaller(boolean login) {
        MessageRouter router = router(login);

        assertMalformed(route(router, message(token, MALFORMED)));
        assertMalformed(route(router, message(token, large(MALFORMED))));

        assertThat(handler.reads).isEqualTo(2);
        assertThat(handler.handled).isNull();
        assertThat(refusals).isEmpty();
    }

    @Test
    void refusesParameterBeforeTheRightIsChecked() {
        Payload answer = route(router(true), message(token, WITHOUT_NAME));

        assertThat(answer.bodyText()).contains("\"errorCode\":400");
        assertThat(handler.reads).isEqualTo(1);
        assertThat(handler.handled).isNull();
        assertThat(refusals).isEmpty();
    }

    @Test
    void handlerChecksParametersWithoutLogin() {
        assertThat(route(router(false), message(null, WITHOUT_NAME)).bodyText()).contains("\"success\":true");

        assertThat(handler.handled).isNotNull();
    }

    @Test
    void refusesCallerWithoutTheRightAndReportsTheRequestThatWasRead() {
        handler.watching = Watching.KEYS;

        assertDenied(route(router(true), message(token, FORBIDDEN)), Denial.NO_RIGHT);

        assertThat(handler.reads).isEqualTo(1);
        assertThat(refusals).singleElement().satisfies(refusal -> {
            assertThat(refusal.handler()).isSameAs(handler);
            assertThat(refusal.request()).isSameAs(handler.read);
            assertThat(refusal.user()).isEqualTo("token:robot");
            assertThat(refusal.denial()).isEqualTo(Denial.NO_RIGHT);
        });
        assertThat(connection.watcher()).isNull();
    }

    @Test
    void countsRequestBeforeItReadsTheBody() {
        Payload answer = route(router(true, 0), message(token, MALFORMED));

        assertThat(answer.type()).isEqualTo(ANSWER);
        assertThat(answer.bodyText()).contains("\"errorCode\":503");
        assertThat(handler.reads).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void connectionRecordsItsWatcher(Watching watching) {
        handler.watching = watching;

        route(router(true), message(token, ALLOWED));

        assertThat(connection.watcher()).isEqualTo(watching == Watching.NOTHING ? null : handler.caller);
        assertThat(connection.watchesPatterns()).isEqualTo(watching == Watching.PATTERNS);
    }

    @Test
    void notesNoWatcherWithoutLogin() {
        handler.watching = Watching.PATTERNS;

        route(router(false), message(null, ALLOWED));

        assertThat(handler.handled).isNotNull();
        assertThat(connection.watcher()).isNull();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void answersAnOpenMessageWithAnyBody(boolean login) {
        Payload check = Payload.of("HealthCheckRequest", "127.0.0.1", MALFORMED.getBytes(StandardCharsets.UTF_8));

        assertThat(route(router(login), check).bodyText()).contains("\"success\":true");
        assertThat(refusals).isEmpty();
    }

    @Test
    void answersAndGivesBackMemoryWhenTheHandlerRunsOutOfStack() {
        handler.failure = new StackOverflowError();

        assertThat(route(router(true), message(token, large(ALLOWED))).bodyText())
                .contains("\"errorCode\":500", "StackOverflowError");
    }
}
