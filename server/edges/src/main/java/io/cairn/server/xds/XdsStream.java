package io.cairn.server.xds;

import io.cairn.server.auth.Principal;
import io.cairn.server.http2.Call;
import io.cairn.server.http2.GrpcStatus;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
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

    /** For so long routes wait at most until a client has the endpoints of new clusters. */
    static final long ORDER_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** Requests that may come before the client is admitted. */
    private static final int MAX_HELD = 64;

    private static final String ANY_NAME = "*";
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
    /** Endpoints that clusters wait for which were sent before their endpoints were subscribed to. */
    private @Nullable Set<String> warming;
    /** Endpoints of new clusters that the client has not acknowledged yet; null for none. */
    private @Nullable Set<String> fresh;

    /** Since when routes wait for the endpoints of new clusters; 0 when they do not. */
    private long waitingSinceNanos;

    private boolean orderTimer;
    private volatile boolean ended;
    private @Nullable Set<String> unknownTypes;
    /** Messages that came before the client was admitted; null for none. */
    private @Nullable List<byte[]> held;

    XdsStream(Call call, boolean delta, String id, StreamHome home, long nowMillis) {
        this.call = call;
        this.delta = delta;
        this.id = id;
        this.home = home;
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

    /** Runs it on an event loop, unless that has ended with all its connections. */
    static void execute(Executor loop, Runnable task) {
        try {
            loop.execute(task);
        } catch (RejectedExecutionException e) {
            log.debug("The event loop has ended, and the stream with it", e);
        }
    }

    // --- what the client sends

    @Override
    public void onMessage(byte[] message) {
        if (ended) {
            return;
        }
        List<byte[]> waiting = held;
        if (waiting != null) {
            if (waiting.size() == MAX_HELD) {
                end(GrpcStatus.RESOURCE_EXHAUSTED, "more than " + MAX_HELD + " requests before the first response");
            } else {
                waiting.add(message);
            }
            return;
        }
        DiscoveryRequest request;
        try {
            request = delta ? DiscoveryRequest.readDelta(message) : DiscoveryRequest.readSotw(message);
        } catch (MessageInput.MalformedException e) {
            end(GrpcStatus.INVALID_ARGUMENT, "the request cannot be read: " + e.getMessage());
            return;
        }
        if (node == null && !introduced(request.node(), message)) {
            return;
        }
        XdsType type = XdsType.of(request.typeUrl());
        if (type == null) {
            noteUnknown(request.typeUrl());
            return;
        }
        take(request, type);
        advance();
    }

    /** The first message says which client it is. False when the stream has ended for that. */
    private boolean introduced(@Nullable XdsNode introduced, byte[] message) {
        if (introduced == null || introduced.id().isEmpty()) {
            end(GrpcStatus.INVALID_ARGUMENT, "the first request of a stream must have node.id (bootstrap: node: id)");
            return false;
        }
        Admission admission = home.admit(this, introduced);
        if (admission instanceof Refused refused) {
            end(refused.status(), refused.why());
            return false;
        }
        if (!(admission instanceof Admitted admitted)) {
            held = new ArrayList<>(List.of(message));
            return false;
        }
        principal = admitted.principal();
        node = introduced.withoutToken();
        view = admitted.view();
        return true;
    }

    /** The result of admitting the first message of a stream. */
    sealed interface Admission permits Admitted, Refused, Postponed {}

    /** The answer is known once {@link #resume} is called; until then the messages are held. */
    enum Postponed implements Admission {
        INSTANCE
    }

    /** Reads the messages that were held; on the event loop. */
    void resume() {
        List<byte[]> waiting = held;
        held = null;
        if (waiting != null) {
            waiting.forEach(this::onMessage);
        }
    }

    record Admitted(Principal principal, MeshView view) implements Admission {}

    record Refused(GrpcStatus status, String why) implements Admission {}

    private void noteUnknown(String typeUrl) {
        Set<String> noted = unknownTypes;
        if (noted == null) {
            noted = new HashSet<>(2);
            unknownTypes = noted;
        }
        if (noted.size() < 16 && noted.add(typeUrl)) {
            log.info("{} asks for resources of the type '{}', which is not served; it gets none", node, typeUrl);
        }
    }

    @SuppressWarnings("EnumOrdinal") // one state for each type, never stored
    private void take(DiscoveryRequest request, XdsType type) {
        TypeState state = types[type.ordinal()];
        if (state == null) {
            // A subscription, whatever nonce and version it carries: a client may send those of its last stream.
            types[type.ordinal()] = subscribed(request, type);
        } else if (delta) {
            if (request.nonce().equals(state.nonce())) {
                answered(state, request);
            }
            change(state, request);
        } else if (request.nonce().equals(state.nonce())) {
            answered(state, request);
            replace(state, request);
        }
    }

    private TypeState subscribed(DiscoveryRequest request, XdsType type) {
        MeshView present = present();
        boolean all = isWildcard(request.names(), type);
        Subscription subscription =
                present.subscribe(new Subscription.Key(type, all, withoutAny(request.names())), this);
        TypeState state = new TypeState(type, subscription, home.nowMillis());
        state.initialVersions(request.initialVersions());
        Set<String> waiting = warming;
        if (type == XdsType.EDS && waiting != null) {
            state.addDue(waiting);
            warming = null;
        }
        return state;
    }

    private static boolean isWildcard(List<String> names, XdsType type) {
        return type.isWholeInSotw() && names.isEmpty() || names.contains(ANY_NAME);
    }

    private static Set<String> withoutAny(List<String> names) {
        Set<String> all = new HashSet<>(names);
        all.remove(ANY_NAME);
        return all;
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
            home.acknowledged(state, refusedBefore);
        } else {
            // Nothing is sent again until there is something else to send.
            state.refused(error, home.nowMillis());
            home.refused(state, refusedBefore);
        }
    }

    /** SotW: the request names all that is subscribed to. */
    private void replace(TypeState state, DiscoveryRequest request) {
        Subscription before = state.subscription();
        boolean all = isWildcard(request.names(), state.type())
                && (before.isWildcard() || request.names().contains(ANY_NAME));
        List<String> names = request.names();
        if (all == before.isWildcard() && isSame(names, before.names())) {
            return;
        }
        Set<String> now = withoutAny(names);
        Set<String> added = new HashSet<>(now);
        added.removeAll(before.names());
        resubscribe(state, new Subscription.Key(state.type(), all, now));
        state.addDue(added);
        if (all && !before.isWildcard()) {
            state.forgetSent();
        }
    }

    private static boolean isSame(List<String> names, Set<String> known) {
        int counted = 0;
        for (String name : names) {
            if (!name.equals(ANY_NAME)) {
                counted++;
                if (!known.contains(name)) {
                    return false;
                }
            }
        }
        return counted == known.size();
    }

    /** Delta: the request names what is added and what is dropped. */
    private void change(TypeState state, DiscoveryRequest request) {
        if (request.names().isEmpty() && request.dropped().isEmpty()) {
            return;
        }
        Subscription before = state.subscription();
        Set<String> names = new HashSet<>(before.names());
        Set<String> added = withoutAny(request.names());
        names.addAll(added);
        request.dropped().forEach(names::remove);
        boolean all = (before.isWildcard() || request.names().contains(ANY_NAME))
                && !request.dropped().contains(ANY_NAME);
        resubscribe(state, new Subscription.Key(state.type(), all, names));
        // A name that is asked for is sent, whether the client had it before or not.
        state.addDue(added);
        if (all && !before.isWildcard()) {
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

    // --- another view

    /** Looks whether the client may still have the stream, and sees the same as before; on the event loop. */
    void recheck() {
        XdsNode known = node;
        MeshView before = view;
        if (ended || known == null || before == null) {
            return;
        }
        Admission admission = home.readmit(this, known, principal, before);
        if (admission instanceof Refused refused) {
            end(refused.status(), refused.why());
            return;
        }
        if (admission instanceof Admitted admitted) {
            principal = admitted.principal();
            if (admitted.view() != before) {
                move(before, admitted.view());
                advance();
            }
        }
    }

    /** Goes on with another view: a client of SotW gets all of it, one of delta the difference. */
    private void move(MeshView before, MeshView next) {
        view = next;
        for (TypeState type : types) {
            if (type != null) {
                if (delta && !type.isFirst()) {
                    type.initialVersions(had(type, before.state().table(type.type())));
                }
                type.forgetSent();
                Subscription subscription = type.subscription();
                type.subscription(next.subscribe(subscription.key(), this));
                before.unsubscribe(subscription, this);
            }
        }
        home.left(before);
    }

    /** The versions that the client has of the table; an empty one for a name that has changed since it was sent. */
    private static Map<String, String> had(TypeState type, TypeTable table) {
        Map<String, String> versions = new HashMap<>();
        for (TableEntry entry : table.covered(type.subscription())) {
            versions.put(entry.resource().name(), entry.resource().version());
        }
        TypeTable.Difference unsent = table.changesSince(type.sentRevision(), type.subscription());
        unsent.changed().keySet().forEach(name -> versions.put(name, ""));
        unsent.removed().forEach(name -> versions.put(name, ""));
        return versions;
    }

    private MeshView present() {
        MeshView present = view;
        if (present == null) {
            throw new IllegalStateException("the client has not said which it is");
        }
        return present;
    }

    // --- what the client gets

    /** Sends what is to be sent and may be sent now; on the event loop. */
    void advance() {
        MeshView present = view;
        if (ended || present == null) {
            return;
        }
        ViewState state = present.state();
        for (TypeState type : types) {
            if (type != null && !advance(type, state)) {
                return;
            }
        }
    }

    /** False when nothing more can be sent at the moment. */
    private boolean advance(TypeState type, ViewState state) {
        Subscription subscription = type.subscription();
        if (type.awaitsAnswer() || !subscription.isReady() || !isPending(type, state)) {
            return true;
        }
        if ((type.type() == XdsType.LDS || type.type() == XdsType.RDS) && !mayNameClusters(state)) {
            return true;
        }
        if (type.type() == XdsType.CDS && subscription.isWildcard() && state.listedClusters() > home.maxClusters()) {
            end(GrpcStatus.RESOURCE_EXHAUSTED, home.tooManyClusters(state.listedClusters(), node));
            return false;
        }
        if (delta
                && subscription.isWildcard()
                && !type.isFirst()
                && !state.table(type.type()).reachesBackTo(type.sentRevision())) {
            // Its own list says what is gone when it connects again.
            end(GrpcStatus.UNAVAILABLE, "the stream is more than " + ChangeLog.KEPT + " changes behind; connect again");
            return false;
        }
        if (!call.isReady()) {
            return false;
        }
        return send(type, state);
    }

    private static boolean isPending(TypeState type, ViewState state) {
        return type.isFirst()
                || isDue(type)
                || state.table(type.type()).hasChangedSince(type.sentRevision(), type.subscription());
    }

    private static boolean isDue(TypeState type) {
        Set<String> due = type.due();
        if (due == null) {
            return false;
        }
        if (type.subscription().isWildcard()) {
            return true;
        }
        for (String name : due) {
            if (type.subscription().names().contains(name)) {
                return true;
            }
        }
        return false;
    }

    private boolean send(TypeState type, ViewState state) {
        ViewState.Question question = new ViewState.Question(
                type.subscription(),
                delta,
                type.sentRevision(),
                type.isFirst() && type.initialVersions().isEmpty() ? null : type.due());
        DiscoveryResponse response = state.answerTo(question, type.initialVersions());
        int taken = home.take(response.encodedLength(), this);
        if (taken < 0) {
            return false;
        }
        Set<String> undelivered = notSubscribed(type);
        call.send(response);
        type.sent(response, state, taken, home.nowMillis());
        type.addDue(undelivered);
        home.sent(type.type(), response.encodedLength());
        if (type.type() == XdsType.CDS) {
            clustersSent(type, response);
        }
        return true;
    }

    /** Endpoints that are due once the client asks for them. */
    private static Set<String> notSubscribed(TypeState type) {
        Set<String> due = type.due();
        if (due == null
                || type.type() != XdsType.EDS
                || type.subscription().names().containsAll(due)) {
            return Set.of();
        }
        Set<String> later = new HashSet<>(due);
        later.removeAll(type.subscription().names());
        return later;
    }

    @SuppressWarnings("EnumOrdinal") // one state for each type, never stored
    private void clustersSent(TypeState clusters, DiscoveryResponse response) {
        if (response.warming().isEmpty()) {
            return;
        }
        TypeState endpoints = types[XdsType.EDS.ordinal()];
        if (endpoints != null) {
            endpoints.addDue(response.warming());
        } else {
            Set<String> all = new HashSet<>(response.warming());
            if (warming != null) {
                all.addAll(warming);
            }
            warming = warming == null ? response.warming() : all;
        }
        if (clusters.subscription().isWildcard() && !response.added().isEmpty()) {
            Set<String> before = fresh;
            if (before == null) {
                fresh = response.added();
            } else {
                Set<String> all = new HashSet<>(before);
                all.addAll(response.added());
                fresh = all;
            }
        }
    }

    /** Whether a client with all clusters has those that a listener or a route may name, with their endpoints. */
    @SuppressWarnings("EnumOrdinal") // one state for each type, never stored
    private boolean mayNameClusters(ViewState state) {
        TypeState clusters = types[XdsType.CDS.ordinal()];
        if (clusters == null || !clusters.subscription().isWildcard()) {
            return true;
        }
        boolean waits = clusters.awaitsAnswer() || clusters.isFirst();
        Set<String> names = fresh;
        if (!waits && names != null) {
            TypeState endpoints = types[XdsType.EDS.ordinal()];
            waits = endpoints == null
                    || endpoints.awaitsAnswer()
                    || endpoints.isFirst()
                    || isPending(endpoints, state)
                    || !endpoints.subscription().names().containsAll(names);
        }
        long now = home.nanoTime();
        if (waits && waitingSinceNanos == 0) {
            waitingSinceNanos = now;
        }
        long leftNanos = waits ? waitingSinceNanos + ORDER_NANOS - now : 0;
        if (leftNanos <= 0) {
            fresh = null;
            waitingSinceNanos = 0;
            return true;
        }
        if (!orderTimer) {
            orderTimer = true;
            call.channel().eventLoop().schedule(this::orderTimedOut, leftNanos, TimeUnit.NANOSECONDS);
        }
        return false;
    }

    private void orderTimedOut() {
        orderTimer = false;
        advance();
    }

    @Override
    public void onReady() {
        advance();
    }

    // --- the end

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

    boolean hasEnded() {
        return ended;
    }

    private void closed() {
        if (ended) {
            return;
        }
        ended = true;
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
