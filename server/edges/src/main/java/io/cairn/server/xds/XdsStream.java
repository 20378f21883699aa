package io.cairn.server.xds;

import io.cairn.api.config.Namespace;
import io.cairn.server.auth.Principal;
import io.cairn.server.http2.Call;
import io.cairn.server.http2.GrpcStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One stream of one client, of either protocol. It keeps a revision for each type and no state for a resource. All on the event loop of
 * its connection, but for what the page of the proxies reads.
 */
final class XdsStream implements Call.Listener {

    private static final Logger log = LoggerFactory.getLogger(XdsStream.class);

    private final Call call;
    private final boolean delta;
    private final String id;
    private final StreamHome home;
    private final long connectedAtMillis;
    private final TypeState[] types = new TypeState[XdsType.COUNT];
    private volatile @Nullable XdsNode node;
    private volatile Principal principal = Principal.ANONYMOUS;
    private volatile @Nullable MeshView view;
    private final ClusterOrder order = new ClusterOrder();
    private boolean orderTimer;
    /** A bit for each type of which the client has ever named something. */
    private int namedTypes;

    private final StreamBudget budget;
    private volatile boolean ended;
    private @Nullable UnknownTypes unknownTypes;
    /** Requests that came before the client was admitted; null for none. */
    private @Nullable HeldRequests held;
    /** Null once a request has come. */
    private @Nullable FirstRequestDeadline deadline;

    XdsStream(Call call, boolean delta, String id, StreamHome home, long nowMillis) {
        this.call = call;
        this.delta = delta;
        this.id = id;
        this.home = home;
        this.budget = new StreamBudget(this, home);
        this.connectedAtMillis = nowMillis;
    }

    String id() {
        return id;
    }

    boolean isDelta() {
        return delta;
    }

    /** The client as it has described itself; null before its first message. */
    @Nullable
    XdsNode node() {
        return node;
    }

    Principal principal() {
        return principal;
    }

    @Nullable
    MeshView view() {
        return view;
    }

    long connectedAtMillis() {
        return connectedAtMillis;
    }

    Call call() {
        return call;
    }

    Executor loop() {
        return call.channel().eventLoop();
    }

    /** The types that are subscribed to, in the order of sending. */
    List<TypeState> subscribedTypes() {
        List<TypeState> present = new ArrayList<>(XdsType.COUNT);
        for (TypeState each : types) {
            if (each != null) {
                present.add(each);
            }
        }
        return present;
    }

    /** Runs it on an event loop; false when that has ended with all its connections. */
    static boolean execute(Executor loop, Runnable task) {
        try {
            loop.execute(task);
            return true;
        } catch (RejectedExecutionException e) {
            log.debug("The event loop has ended, and the stream with it", e);
            return false;
        }
    }

    @Override
    public void onMessage(byte[] message) {
        if (ended) {
            return;
        }
        try {
            HeldRequests waiting = held;
            if (waiting != null) {
                waiting.add(message);
            } else if (node != null || introduced(DiscoveryRequest.node(message, delta), message)) {
                take(message);
                advance();
            }
        } catch (MessageInput.MalformedException e) {
            end(GrpcStatus.INVALID_ARGUMENT, "the request cannot be read: " + e.getMessage());
        } catch (XdsLimits.ExceededException e) {
            end(GrpcStatus.RESOURCE_EXHAUSTED, e.getMessage());
        }
    }

    /** Ends the stream unless its client sends a request in time; on the event loop. */
    void awaitFirst() {
        deadline = new FirstRequestDeadline(this);
    }

    private void cancelDeadline() {
        FirstRequestDeadline pending = deadline;
        deadline = null;
        if (pending != null) {
            pending.cancel();
        }
    }

    /** The first message says which client it is. False when the stream has ended for that. */
    private boolean introduced(@Nullable XdsNode introduced, byte[] message) {
        cancelDeadline();
        if (introduced == null || introduced.id().isEmpty()) {
            end(GrpcStatus.INVALID_ARGUMENT, "the first request of a stream must have node.id (bootstrap: node: id)");
            return false;
        }
        Admission admission = home.admit(this, introduced);
        if (admission instanceof Admission.Refused refused) {
            end(refused.status(), refused.why());
            return false;
        }
        if (!(admission instanceof Admission.Admitted admitted)) {
            HeldRequests waiting = new HeldRequests();
            waiting.add(message);
            held = waiting;
            return false;
        }
        principal = admitted.principal();
        node = introduced.withoutToken();
        view = admitted.view();
        return true;
    }

    /** Reads the messages that were held; on the event loop. */
    void resume() {
        HeldRequests waiting = held;
        held = null;
        if (waiting != null) {
            waiting.messages().forEach(this::onMessage);
        }
    }

    private void take(byte[] message) {
        int maxNames = XdsLimits.maxNames(home.maxClusters());
        DiscoveryRequest request =
                delta ? DiscoveryRequest.readDelta(message, maxNames) : DiscoveryRequest.readSotw(message, maxNames);
        XdsType type = XdsType.of(request.typeUrl());
        if (type == null) {
            unknownTypes = UnknownTypes.note(unknownTypes, request.typeUrl(), node);
            return;
        }
        namedTypes |= request.names().isEmpty() ? 0 : 1 << type.index();
        TypeState state = types[type.index()];
        if (state == null) {
            // A subscription, whatever nonce and version it carries: a client may send those of its last stream.
            types[type.index()] = subscribed(request, type);
        } else if (delta) {
            if (request.nonce().equals(state.nonce())) {
                answered(state, request);
            }
            resubscribe(state, SubscriptionChange.changed(state.subscription(), request, maxNames));
        } else if (request.nonce().equals(state.nonce())) {
            answered(state, request);
            boolean hasNamed = (namedTypes & (1 << type.index())) != 0;
            resubscribe(state, SubscriptionChange.replaced(state.subscription(), request, hasNamed));
        }
    }

    private TypeState subscribed(DiscoveryRequest request, XdsType type) {
        MeshView present = present();
        boolean all = request.isForAll(type);
        Subscription subscription = present.subscribe(new Subscription.Key(type, all, request.distinctNames()), this);
        TypeState state = new TypeState(type, delta, subscription, home.nowMillis());
        state.initialVersions(request.initialVersions());
        if (type == XdsType.EDS) {
            state.addDue(order.takeWarming());
        }
        return state;
    }

    /** An acknowledgement or a refusal of the last response. */
    private void answered(TypeState state, DiscoveryRequest request) {
        if (!state.awaitsAnswer()) {
            return;
        }
        home.release(state.takeBudget());
        boolean refusedBefore = state.error() != null;
        String error = request.error();
        if (error == null) {
            state.acknowledged(home.nowMillis());
            home.acknowledged(state, refusedBefore && state.error() == null);
        } else {
            // Nothing is sent again until the next revision; all of it is sent with that.
            state.refused(error, home.nowMillis());
            home.refused(state, refusedBefore);
        }
    }

    /** @param change null for none */
    private void resubscribe(TypeState state, @Nullable SubscriptionChange change) {
        if (change == null) {
            return;
        }
        boolean wasForAll = state.subscription().isWildcard();
        resubscribe(state, change.key());
        state.addDue(change.added());
        if (change.key().wildcard() && !wasForAll) {
            state.forgetSent();
        }
    }

    private void resubscribe(TypeState state, Subscription.Key wanted) {
        Subscription before = state.subscription();
        if (!before.key().equals(wanted)) {
            MeshView present = present();
            state.subscription(present.subscribe(wanted, this));
            present.unsubscribe(before, this);
        }
    }

    /** After a change in the namespace: {@linkplain #recheck() looks again} when the client is of it; on the event loop. */
    void recheck(Namespace changed) {
        XdsNode known = node;
        if (known != null && known.namespace().equals(changed)) {
            recheck();
        }
    }

    /** Looks whether the client may still have the stream, and sees the same as before; on the event loop. */
    void recheck() {
        XdsNode known = node;
        MeshView before = view;
        if (ended || known == null || before == null) {
            return;
        }
        Admission admission = home.readmit(this, known, principal, before);
        if (admission instanceof Admission.Refused refused) {
            end(refused.status(), refused.why());
            return;
        }
        if (admission instanceof Admission.Admitted admitted) {
            principal = admitted.principal();
            MeshView next = admitted.view();
            if (next != before && !knowsWhatIsGone(before)) {
                home.left(next);
                endBehind();
            } else if (next != before) {
                move(before, next);
                advance();
            }
        }
    }

    /** Whether the tables still know all names that are gone and that the client may have. */
    private boolean knowsWhatIsGone(MeshView before) {
        ViewState state = before.state();
        for (TypeState type : types) {
            if (delta && type != null && !type.isFirst() && !type.knowsWhatIsGone(state.table(type.type()))) {
                return false;
            }
        }
        return true;
    }

    /** The client's own list says what is gone when it connects again. */
    private void endBehind() {
        end(GrpcStatus.UNAVAILABLE, "the stream is more than " + ChangeLog.KEPT + " changes behind; connect again");
    }

    /** Goes on with another view: a client of SotW gets all of it, one of delta the difference. */
    private void move(MeshView before, MeshView next) {
        view = next;
        for (TypeState type : types) {
            if (type != null) {
                if (delta && !type.isFirst()) {
                    type.initialVersions(type.versions(before.state().table(type.type())));
                }
                type.moved();
                Subscription subscription = type.subscription();
                type.subscription(next.subscribe(subscription.key(), this));
                before.unsubscribe(subscription, this);
            }
        }
        home.left(before);
    }

    private MeshView present() {
        MeshView present = view;
        if (present == null) {
            throw new IllegalStateException("the client has not said which it is");
        }
        return present;
    }

    /** Sends what is to be sent and may be sent now; on the event loop. */
    void advance() {
        MeshView present = view;
        if (ended || present == null) {
            return;
        }
        int ready = readyTypes();
        // After that: a state from before a subscription was ready lacks its names.
        ViewState state = present.state();
        for (TypeState type : types) {
            if (type != null && (ready & bit(type)) != 0 && !advance(type, state)) {
                return;
            }
        }
    }

    /** The types whose names are in the tables, a bit each. A type that gets ready later wakes the stream again. */
    private int readyTypes() {
        int ready = 0;
        for (TypeState type : types) {
            if (type != null && type.subscription().isReady()) {
                ready |= bit(type);
            }
        }
        return ready;
    }

    private static int bit(TypeState type) {
        return 1 << type.type().index();
    }

    /** False when nothing more can be sent at the moment. */
    private boolean advance(TypeState type, ViewState state) {
        Subscription subscription = type.subscription();
        if (type.awaitsAnswer() || !type.isPending(state)) {
            return true;
        }
        if ((type.type() == XdsType.LDS || type.type() == XdsType.RDS) && !mayNameClusters(state)) {
            return true;
        }
        if (type.type() == XdsType.CDS && subscription.isWildcard() && state.listedClusters() > home.maxClusters()) {
            end(GrpcStatus.RESOURCE_EXHAUSTED, home.tooManyClusters(state.listedClusters(), node));
            return false;
        }
        Delivery content = type.next(state);
        if (delta && subscription.isWildcard() && !state.table(type.type()).reachesBackTo(content.oldest())) {
            endBehind();
            return false;
        }
        if (!call.isReady()) {
            return false;
        }
        return send(type, content, state);
    }

    private boolean send(TypeState type, Delivery content, ViewState state) {
        Subscription subscription = type.subscription();
        Map<String, String> present = delta ? content.present(state.table(type.type()), subscription) : Map.of();
        DiscoveryResponse response = state.answerTo(content.question(subscription, delta, present), present);
        int bytes = response.encodedLength();
        int taken = budget.take(bytes);
        if (taken < 0) {
            return false;
        }
        Set<String> undelivered = type.dueLater();
        call.send(response);
        type.sent(response, content, state, taken, home.nowMillis());
        type.addDue(undelivered);
        if (taken > 0) {
            budget.releaseInTime(type);
        }
        home.sent(type.type(), bytes);
        if (type.type() == XdsType.CDS) {
            order.sent(type, of(XdsType.EDS), response);
        }
        return true;
    }

    /** Whether a client with all clusters has those that a listener or a route may name, with their endpoints. */
    private boolean mayNameClusters(ViewState state) {
        long waitNanos = order.waitNanos(of(XdsType.CDS), of(XdsType.EDS), state, home.nanoTime());
        if (waitNanos > 0 && !orderTimer) {
            orderTimer = true;
            call.channel().eventLoop().schedule(this::orderTimedOut, waitNanos, TimeUnit.NANOSECONDS);
        }
        return waitNanos == 0;
    }

    private void orderTimedOut() {
        orderTimer = false;
        advance();
    }

    private @Nullable TypeState of(XdsType type) {
        return types[type.index()];
    }

    @Override
    public void onReady() {
        advance();
    }

    @Override
    public void onUnreadable(String why) {
        end(GrpcStatus.INVALID_ARGUMENT, why);
    }

    @Override
    public void onHalfClose() {
        end(GrpcStatus.OK, null);
    }

    @Override
    public void onCancel() {
        closed();
    }

    @Override
    public void onComplete() {
        closed();
    }

    /** Ends the stream; on the event loop. */
    void end(GrpcStatus status, @Nullable String why) {
        if (!ended) {
            closed();
            call.finish(status, why);
        }
    }

    /** Ends the stream before it has begun. */
    void refuse(GrpcStatus status, String why) {
        ended = true;
        call.finish(status, why);
    }

    private void closed() {
        if (ended) {
            return;
        }
        ended = true;
        held = null;
        cancelDeadline();
        MeshView present = view;
        for (TypeState type : types) {
            if (type != null && present != null) {
                home.release(type.takeBudget());
                if (type.error() != null) {
                    home.refusalGone(type);
                }
                present.unsubscribe(type.subscription(), this);
            }
        }
        home.closed(this);
    }
}
