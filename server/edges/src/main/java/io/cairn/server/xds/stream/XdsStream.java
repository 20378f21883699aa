package io.cairn.server.xds.stream;

import io.cairn.api.config.Namespace;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.auth.ClientsWithoutLogin;
import io.cairn.server.auth.Principal;
import io.cairn.server.http2.Call;
import io.cairn.server.http2.GrpcStatus;
import io.cairn.server.subscription.LateSubscriber;
import io.cairn.server.xds.resource.XdsType;
import io.cairn.server.xds.view.ChangeLog;
import io.cairn.server.xds.view.DiscoveryResponse;
import io.cairn.server.xds.view.MeshView;
import io.cairn.server.xds.view.Subscriber;
import io.cairn.server.xds.view.Subscription;
import io.cairn.server.xds.view.TableEntry;
import io.cairn.server.xds.view.TypeTable;
import io.cairn.server.xds.view.ViewState;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One client's stream of either protocol. It keeps a revision for each type and no state for a resource. Runs on the event loop of
 * its connection, except reads by lists of proxies.
 */
public final class XdsStream implements Call.Listener, Subscriber, ClientsWithoutLogin.Presence {

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
    private ClientNames.@Nullable Client client;
    private final ClusterOrder order = new ClusterOrder();
    private boolean orderTimer;
    /** A bit for each type with a named resource. */
    private int namedTypes;

    private final StreamBudget budget;
    private volatile boolean ended;
    private @Nullable UnknownTypes unknownTypes;
    /** Requests before the admission, or null. */
    private @Nullable HeldRequests held;
    /** Null after the first request. */
    private @Nullable FirstRequestDeadline deadline;

    public XdsStream(Call call, boolean delta, String id, StreamHome home, long nowMillis) {
        this.call = call;
        this.delta = delta;
        this.id = id;
        this.home = home;
        this.budget = new StreamBudget(this, home);
        this.connectedAtMillis = nowMillis;
    }

    public String id() {
        return id;
    }

    @Override
    public boolean isClosed() {
        return ended;
    }

    public boolean isDelta() {
        return delta;
    }

    /** The client's description; null before its first message. */
    public @Nullable XdsNode node() {
        return node;
    }

    public Principal principal() {
        return principal;
    }

    public @Nullable MeshView view() {
        return view;
    }

    @Override
    public boolean isBehind(ServiceKey service) {
        MeshView present = view;
        TypeState endpoints = types[XdsType.EDS.index()];
        if (ended || present == null || endpoints == null) {
            return false;
        }
        long acknowledged = endpoints.error() == null ? endpoints.acknowledgedRevision() : TableEntry.NOTHING;
        return present.isBehind(service, endpoints.subscription(), acknowledged);
    }

    /** As a consumer without the present endpoints. */
    public LateSubscriber described() {
        XdsNode known = node;
        TypeState endpoints = types[XdsType.EDS.index()];
        String error = endpoints == null ? null : endpoints.error();
        SocketAddress remote = call.channel().remoteAddress();
        return new LateSubscriber(
                LateSubscriber.XDS,
                known == null ? "" : known.id(),
                ipOf(call),
                remote instanceof InetSocketAddress inet ? inet.getPort() : 0,
                known == null ? "" : known.agent(),
                known == null ? "" : known.cluster(),
                "",
                "",
                error == null ? "" : error);
    }

    public long connectedAtMillis() {
        return connectedAtMillis;
    }

    public Call call() {
        return call;
    }

    @Override
    public Executor loop() {
        return call.channel().eventLoop();
    }

    /** In the order of sending. */
    public List<TypeState> subscribedTypes() {
        List<TypeState> present = new ArrayList<>(XdsType.COUNT);
        for (TypeState each : types) {
            if (each != null) {
                present.add(each);
            }
        }
        return present;
    }

    public static String addressOf(Call call) {
        SocketAddress remote = call.channel().remoteAddress();
        return remote instanceof InetSocketAddress inet
                ? inet.getAddress().getHostAddress() + ":" + inet.getPort()
                : "127.0.0.1:0";
    }

    public static String ipOf(Call call) {
        SocketAddress remote = call.channel().remoteAddress();
        return remote instanceof InetSocketAddress inet ? inet.getAddress().getHostAddress() : "127.0.0.1";
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
                receive(message);
                advance();
            }
        } catch (MessageInput.MalformedException e) {
            end(GrpcStatus.INVALID_ARGUMENT, "the request cannot be read: " + e.getMessage());
        } catch (XdsLimits.ExceededException e) {
            end(GrpcStatus.RESOURCE_EXHAUSTED, e.getMessage());
        }
    }

    /** Ends the stream without a timely request; on the event loop. */
    public void awaitFirst() {
        deadline = new FirstRequestDeadline(this);
    }

    private void cancelDeadline() {
        FirstRequestDeadline pending = deadline;
        deadline = null;
        if (pending != null) {
            pending.cancel();
        }
    }

    /** The first message identifies the client. False when that ended the stream. */
    private boolean introduced(@Nullable XdsNode introduced, byte[] message) {
        cancelDeadline();
        if (introduced == null || introduced.id().isEmpty()) {
            end(GrpcStatus.INVALID_ARGUMENT, "the first request of a stream must have node.id (bootstrap: node: id)");
            return false;
        }
        Admission admission = home.admit(this, introduced);
        if (admission instanceof Admission.Refused refused) {
            end(refused.status(), refused.why(), introduced);
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
        client = new ClientNames.Client(ipOf(call), introduced.id());
        view = admitted.view();
        log.info(
                "Mesh client {} at {} has connected: {}, namespace '{}'{}",
                node,
                addressOf(call),
                delta ? "delta" : "state of the world",
                ClientText.shown(introduced.namespace().id()),
                principal.isSomebody() ? ", user '" + principal.name() + "'" : "");
        return true;
    }

    /** Reads the held messages; on the event loop. */
    public void resume() {
        HeldRequests waiting = held;
        held = null;
        if (waiting != null) {
            waiting.messages().forEach(this::onMessage);
        }
    }

    private void receive(byte[] message) {
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
            // A subscription with any nonce and version: a client may send its last stream's.
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
        Subscription subscription =
                subscribe(present, new Subscription.Key(type, all, request.distinctNames()), null, true);
        TypeState state = new TypeState(type, delta, subscription, home.nowMillis());
        state.initialVersions(request.initialVersions());
        if (type == XdsType.EDS) {
            state.addDue(order.takeWarming());
        }
        return state;
    }

    /** Subscribes in place of another subscription, to be released after it; may be null. */
    private Subscription subscribe(
            MeshView to, Subscription.Key wanted, @Nullable Subscription instead, boolean limited) {
        Subscription subscription = to.subscribe(wanted, this);
        try {
            home.names().replace(client(), instead, subscription, limited);
        } catch (XdsLimits.ExceededException e) {
            to.unsubscribe(subscription, this);
            throw e;
        }
        return subscription;
    }

    private ClientNames.Client client() {
        ClientNames.Client known = client;
        if (known == null) {
            throw new IllegalStateException("the client has not said which it is");
        }
        return known;
    }

    /** An acknowledgement or refusal of the last response. */
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
            // Nothing is sent until the next revision; all of it follows then.
            state.refused(error, home.nowMillis());
            home.refused(state, refusedBefore);
            if (!refusedBefore) {
                log.warn(
                        "Mesh client {} at {} refuses {} of version {} and keeps what it had: {}",
                        node,
                        addressOf(call),
                        state.type(),
                        state.sentRevision(),
                        ClientText.shown(error));
            }
        }
    }

    /** @param change may be null */
    private void resubscribe(TypeState state, @Nullable SubscriptionChange change) {
        if (change == null) {
            return;
        }
        boolean wasForAll = state.subscription().isWildcard();
        resubscribe(state, change.key(), true);
        state.addDue(change.added());
        if (change.key().wildcard() && !wasForAll) {
            state.forgetSent();
        }
    }

    /** @param limited whether the client requested it, so that its limit of names applies */
    private void resubscribe(TypeState state, Subscription.Key wanted, boolean limited) {
        Subscription before = state.subscription();
        if (!before.key().equals(wanted)) {
            MeshView present = present();
            state.subscription(subscribe(present, wanted, before, limited));
            present.unsubscribe(before, this);
        }
    }

    /** After a change in the client's namespace: {@linkplain #recheck() checks again}; on the event loop. */
    public void recheck(Namespace changed) {
        XdsNode known = node;
        if (known != null && known.namespace().equals(changed)) {
            recheck();
        }
    }

    /** Checks whether the client may keep the stream and sees the same; on the event loop. */
    public void recheck() {
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

    /** Whether the tables know all removed names that the client may have. */
    private boolean knowsWhatIsGone(MeshView before) {
        ViewState state = before.state();
        for (TypeState type : types) {
            if (delta && type != null && !type.isFirst() && !type.knowsWhatIsGone(state.table(type.type()))) {
                return false;
            }
        }
        return true;
    }

    /** The client's own list shows removed names when it reconnects. */
    private void endBehind() {
        end(GrpcStatus.UNAVAILABLE, "the stream is more than " + ChangeLog.KEPT + " changes behind; connect again");
    }

    /** Continues with another view: a SotW client gets all of it, a delta client the difference. */
    private void move(MeshView before, MeshView next) {
        view = next;
        for (TypeState type : types) {
            if (type != null) {
                if (!type.isFirst()) {
                    TypeTable table = before.state().table(type.type());
                    if (delta) {
                        type.initialVersions(type.versions(table));
                    } else if (type.type() == XdsType.CDS) {
                        type.had(names(table.covered(type.subscription())));
                    }
                }
                type.moved();
                Subscription subscription = type.subscription();
                type.subscription(subscribe(next, subscription.key(), subscription, false));
                before.unsubscribe(subscription, this);
            }
        }
        home.left(before);
    }

    private static Set<String> names(Collection<TableEntry> entries) {
        Set<String> names = new HashSet<>();
        entries.forEach(entry -> names.add(entry.resource().name()));
        return names;
    }

    private MeshView present() {
        MeshView present = view;
        if (present == null) {
            throw new IllegalStateException("the client has not said which it is");
        }
        return present;
    }

    /** Sends all that is due and possible; on the event loop. */
    @Override
    public void advance() {
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

    /** A bit for each type with its names in the tables. A later one wakes the stream again. */
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
        if (!keep(type, state)) {
            return true;
        }
        Subscription subscription = type.subscription();
        if (type.awaitsAnswer() || !type.isPending(state)) {
            return true;
        }
        if ((type.type() == XdsType.LDS || type.type() == XdsType.RDS) && !mayNameClusters(state)) {
            return true;
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

    /** Keeps the client's clusters that are beyond the limit now. False during the look-up. */
    private boolean keep(TypeState type, ViewState state) {
        Subscription.Key key = type.subscription().key();
        Set<String> kept = type.kept(state);
        if (!kept.equals(key.kept())) {
            resubscribe(type, key.keeping(kept), false);
        }
        return type.subscription().isReady();
    }

    private boolean send(TypeState type, Delivery content, ViewState state) {
        Subscription subscription = type.subscription();
        Map<String, String> present = delta ? content.present(state.table(type.type()), subscription) : Map.of();
        DiscoveryResponse response = state.answerTo(content.question(subscription, delta, present), present);
        int bytes = response.encodedLength();
        int taken = budget.reserve(bytes);
        if (taken < 0) {
            return false;
        }
        if (type.type() == XdsType.CDS
                && type.isFirst()
                && subscription.isWildcard()
                && subscription.kept().size() < state.beyond().size()) {
            home.lacksClusters();
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

    /** Whether a wildcard client has the clusters that a listener or route may name, with their endpoints. */
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

    @Override
    public void end(GrpcStatus status, @Nullable String why) {
        end(status, why, node);
    }

    private void end(GrpcStatus status, @Nullable String why, @Nullable XdsNode of) {
        if (ended) {
            return;
        }
        closed();
        RefusalReason reason = RefusalReason.of(status);
        if (reason != null && why != null) {
            home.ended(this, of, reason, why);
        }
        call.finish(status, why);
    }

    /** Ends the stream before it begins. */
    public void refuse(GrpcStatus status, String why) {
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
                home.names().remove(client(), type.subscription());
            }
        }
        home.closed(this);
    }
}
