package io.cairn.server.xds;

import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The state of one type of a stream: its subscription, the revision that was sent last, and whether the client accepted it. Written on the event loop of the
 * stream; the page of the proxies reads what is volatile.
 */
final class TypeState {

    private static final int MAX_ERROR_LENGTH = 1024;

    private final XdsType type;
    private final boolean delta;
    private volatile Subscription subscription;
    private volatile long sentRevision = ViewState.NOTHING;
    private volatile long acknowledgedRevision = ViewState.NOTHING;
    private volatile @Nullable String error;
    private volatile long sinceMillis;
    private volatile long sentAtMillis;
    private String nonce = "";
    private boolean awaitsAnswer;
    private long publishedNanos;
    private int budgetBytes;
    /** Names that are sent though they have not changed; null for none. */
    private @Nullable Set<String> due;
    /** Versions that the client has from an earlier stream, until the first response. */
    private Map<String, String> initialVersions = Map.of();
    /** The content of the response that is not answered yet; null for none. */
    private @Nullable Delivery underWay;
    /** The content that the client has refused, and that is not under way again; null for none. */
    private @Nullable Delivery refused;

    TypeState(XdsType type, boolean delta, Subscription subscription, long nowMillis) {
        this.type = type;
        this.delta = delta;
        this.subscription = subscription;
        this.sinceMillis = nowMillis;
    }

    XdsType type() {
        return type;
    }

    Subscription subscription() {
        return subscription;
    }

    void subscription(Subscription now) {
        if (!now.isWildcard() && Collections.disjoint(now.names(), subscription.names())) {
            refused = null;
        }
        subscription = now;
    }

    boolean isFirst() {
        return sentRevision == ViewState.NOTHING;
    }

    long sentRevision() {
        return sentRevision;
    }

    long acknowledgedRevision() {
        return acknowledgedRevision;
    }

    /** Why the last response was refused; null when it was not, or is not answered yet. */
    @Nullable
    String error() {
        return error;
    }

    /** Since when the client accepts, or refuses, what it is sent. */
    long sinceMillis() {
        return sinceMillis;
    }

    /** When the response that is not answered yet was sent; 0 for none. */
    long unansweredSinceMillis() {
        return sentAtMillis;
    }

    String nonce() {
        return nonce;
    }

    boolean awaitsAnswer() {
        return awaitsAnswer;
    }

    void initialVersions(Map<String, String> versions) {
        initialVersions = versions;
    }

    void addDue(Set<String> names) {
        if (names.isEmpty()) {
            return;
        }
        Set<String> before = due;
        if (before == null) {
            due = names;
        } else {
            Set<String> all = new HashSet<>(before);
            all.addAll(names);
            due = all;
        }
    }

    /** Whether there is something to send. */
    boolean isPending(ViewState state) {
        return isFirst() || isDue() || state.table(type).hasChangedSince(sentRevision, subscription);
    }

    private boolean isDue() {
        Set<String> names = due;
        if (names == null) {
            return false;
        }
        if (subscription.isWildcard()) {
            return true;
        }
        for (String name : names) {
            if (subscription.names().contains(name)) {
                return true;
            }
        }
        return false;
    }

    /** The endpoints that are due only when the client asks for them. */
    Set<String> dueLater() {
        Set<String> names = due;
        if (names == null || type != XdsType.EDS || subscription.names().containsAll(names)) {
            return Set.of();
        }
        Set<String> later = new HashSet<>(names);
        later.removeAll(subscription.names());
        return later;
    }

    /** All is sent again with the next response, but what is among the initial versions and not due. */
    void forgetSent() {
        sentRevision = ViewState.NOTHING;
    }

    /** Goes on with the tables of another view, whose revisions are others. */
    void moved() {
        forgetSent();
        acknowledgedRevision = ViewState.NOTHING;
        underWay = null;
        refused = null;
    }

    /** All that was sent and that the client may lack, because it has refused it or not answered yet; null for nothing. */
    @Nullable
    Delivery unconfirmed() {
        Delivery sent = underWay;
        Delivery lacking = refused;
        return sent == null || lacking == null ? (sent == null ? lacking : sent) : lacking.with(sent);
    }

    /** Whether the table still knows all names that are gone and that a client of delta may have. */
    boolean knowsWhatIsGone(TypeTable table) {
        return !subscription.isWildcard() || table.reachesBackTo(oldestUnconfirmed());
    }

    private long oldestUnconfirmed() {
        Delivery unconfirmed = unconfirmed();
        return unconfirmed == null ? sentRevision : Math.min(sentRevision, unconfirmed.oldest());
    }

    /** The versions that the client has of the table; an empty one for a name that it may have otherwise, or not at all. */
    Map<String, String> versions(TypeTable table) {
        Map<String, String> versions = new HashMap<>();
        for (TableEntry entry : table.covered(subscription)) {
            versions.put(entry.resource().name(), entry.resource().version());
        }
        Delivery unconfirmed = unconfirmed();
        long confirmed = unconfirmed == null ? sentRevision : Math.min(sentRevision, unconfirmed.since());
        table.changesSince(confirmed, subscription).changed().keySet().forEach(name -> versions.put(name, ""));
        table.changesSince(oldestUnconfirmed(), subscription).removed().forEach(name -> versions.put(name, ""));
        if (unconfirmed != null) {
            unconfirmed.dueNames().forEach(name -> versions.replace(name, ""));
            unconfirmed.versions().keySet().forEach(name -> versions.putIfAbsent(name, ""));
        }
        return versions;
    }

    /** The content of the next response: with all that the client has refused, when that is due to a revision. */
    Delivery next(ViewState state) {
        Delivery own = new Delivery(sentRevision, state.revision(), due, initialVersions);
        Delivery lacking = refused;
        return lacking == null || !repeatsRefused(state) ? own : lacking.with(own);
    }

    private boolean repeatsRefused(ViewState state) {
        return isFirst()
                || !delta && type.isWholeInSotw()
                || state.table(type).hasChangedSince(sentRevision, subscription);
    }

    /** @param budgetBytes that were taken for the response, until it is answered */
    void sent(DiscoveryResponse response, Delivery content, ViewState state, int takenBytes, long nowMillis) {
        if (refused != null && repeatsRefused(state)) {
            refused = null;
        }
        underWay = content;
        boolean isFirst = isFirst();
        nonce = response.nonce();
        sentRevision = state.revision();
        // A response for another reason than a change says nothing of how long changes take.
        publishedNanos = isFirst || due != null ? 0 : state.publishedNanos();
        awaitsAnswer = true;
        sentAtMillis = nowMillis;
        budgetBytes = takenBytes;
        due = null;
        initialVersions = Map.of();
    }

    /** When the change that was sent last was published; 0 when something else was sent. */
    long publishedNanos() {
        return publishedNanos;
    }

    /** The bytes that were taken for the last response and are to be given back, once. */
    int takeBudget() {
        int bytes = budgetBytes;
        budgetBytes = 0;
        return bytes;
    }

    void acknowledged(long nowMillis) {
        awaitsAnswer = false;
        sentAtMillis = 0;
        underWay = null;
        if (refused != null) {
            // Names that it asked for; what it has refused before is still to come.
            return;
        }
        if (error != null || acknowledgedRevision == ViewState.NOTHING) {
            sinceMillis = nowMillis;
        }
        error = null;
        acknowledgedRevision = sentRevision;
    }

    void refused(String why, long nowMillis) {
        awaitsAnswer = false;
        sentAtMillis = 0;
        refused = unconfirmed();
        underWay = null;
        if (error == null) {
            sinceMillis = nowMillis;
        }
        error = why.length() > MAX_ERROR_LENGTH ? why.substring(0, MAX_ERROR_LENGTH) : why;
    }
}
