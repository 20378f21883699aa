package io.cairn.server.xds.stream;

import io.cairn.server.xds.resource.XdsType;
import io.cairn.server.xds.view.DiscoveryResponse;
import io.cairn.server.xds.view.Subscription;
import io.cairn.server.xds.view.TableEntry;
import io.cairn.server.xds.view.TypeTable;
import io.cairn.server.xds.view.ViewState;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A stream's state of one type: subscription, last sent revision, and its acceptance. Written on the event loop of the stream;
 * lists of proxies read the volatile fields.
 */
public final class TypeState {

    private static final int MAX_ERROR_LENGTH = 1024;

    private final XdsType type;
    private final boolean delta;
    private volatile Subscription subscription;
    private volatile long sentRevision = TableEntry.NOTHING;
    private volatile long acknowledgedRevision = TableEntry.NOTHING;
    private volatile @Nullable String error;
    private volatile long sinceMillis;
    private volatile long sentAtMillis;
    private String nonce = "";
    private boolean awaitsAnswer;
    private long publishedNanos;
    private int budgetBytes;
    /** Unchanged names to be sent; may be null. */
    private @Nullable Set<String> due;
    /** Versions of an earlier stream, until the first response. */
    private Map<String, String> initialVersions = Map.of();
    /** Names of an earlier stream or view, until the first response. */
    private Set<String> had = Set.of();
    /** The content of the unanswered response, or null. */
    private @Nullable Delivery underWay;
    /** The refused content that is not under way again, or null. */
    private @Nullable Delivery refused;

    public TypeState(XdsType type, boolean delta, Subscription subscription, long nowMillis) {
        this.type = type;
        this.delta = delta;
        this.subscription = subscription;
        this.sinceMillis = nowMillis;
    }

    public XdsType type() {
        return type;
    }

    public Subscription subscription() {
        return subscription;
    }

    public void subscription(Subscription now) {
        if (!now.isWildcard() && Collections.disjoint(now.names(), subscription.names())) {
            refused = null;
        }
        subscription = now;
    }

    boolean isFirst() {
        return sentRevision == TableEntry.NOTHING;
    }

    public long sentRevision() {
        return sentRevision;
    }

    public long acknowledgedRevision() {
        return acknowledgedRevision;
    }

    /** The reason of the last refusal; null if accepted or unanswered. */
    public @Nullable String error() {
        return error;
    }

    /** The begin of the acceptance or refusal. */
    public long sinceMillis() {
        return sinceMillis;
    }

    /** When the unanswered response was sent, or 0. */
    public long unansweredSinceMillis() {
        return sentAtMillis;
    }

    public String nonce() {
        return nonce;
    }

    boolean awaitsAnswer() {
        return awaitsAnswer;
    }

    void initialVersions(Map<String, String> versions) {
        initialVersions = versions;
        had = versions.keySet();
    }

    /** Sets the names of an earlier view. */
    void had(Set<String> names) {
        had = names;
    }

    /** The client's clusters beyond the limit, to be kept. */
    public Set<String> kept(ViewState state) {
        Set<String> before = subscription.kept();
        if (type != XdsType.CDS
                || !subscription.isWildcard()
                || before.isEmpty() && state.beyond().isEmpty()) {
            return before;
        }
        TypeTable table = state.table(type);
        Set<String> kept = new HashSet<>();
        for (String name : before) {
            TableEntry entry = table.get(name);
            if (entry == null ? mayHave(name, table) : entry.isBeyond()) {
                kept.add(name);
            }
        }
        for (TableEntry each : state.beyond()) {
            String name = each.resource().name();
            if (isFirst() ? had.contains(name) : each.wasForAllAt(sentRevision)) {
                kept.add(name);
            }
        }
        return kept;
    }

    /** Whether the client may still have a removed name. */
    private boolean mayHave(String name, TypeTable table) {
        return unconfirmed() != null || table.hasChangedSince(sentRevision, name);
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

    /** Whether there is anything to send. */
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

    /** The endpoints that are due at the client's request. */
    Set<String> dueLater() {
        Set<String> names = due;
        if (names == null || type != XdsType.EDS || subscription.names().containsAll(names)) {
            return Set.of();
        }
        Set<String> later = new HashSet<>(names);
        later.removeAll(subscription.names());
        return later;
    }

    /** The next response repeats all but initial versions that are not due. */
    void forgetSent() {
        sentRevision = TableEntry.NOTHING;
    }

    /** Continues with another view's tables and revisions. */
    void moved() {
        forgetSent();
        acknowledgedRevision = TableEntry.NOTHING;
        underWay = null;
        refused = null;
    }

    /** The refused or unanswered content, or null. */
    @Nullable
    Delivery unconfirmed() {
        Delivery sent = underWay;
        Delivery lacking = refused;
        return sent == null || lacking == null ? (sent == null ? lacking : sent) : lacking.with(sent);
    }

    /** Whether the table knows all removed names that a delta client may have. */
    boolean knowsWhatIsGone(TypeTable table) {
        return !subscription.isWildcard() || table.reachesBackTo(oldestUnconfirmed());
    }

    private long oldestUnconfirmed() {
        Delivery unconfirmed = unconfirmed();
        return unconfirmed == null ? sentRevision : Math.min(sentRevision, unconfirmed.oldest());
    }

    /** The client's versions; empty for names that it may have differently or not at all. */
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

    /** The next response's content, with refused parts when they are due to a revision. */
    public Delivery next(ViewState state) {
        Delivery own = new Delivery(sentRevision, state.revision(), due, initialVersions);
        Delivery lacking = refused;
        return lacking == null || !repeatsRefused(state) ? own : lacking.with(own);
    }

    private boolean repeatsRefused(ViewState state) {
        return isFirst()
                || !delta && type.isWholeInSotw()
                || state.table(type).hasChangedSince(sentRevision, subscription);
    }

    /** @param budgetBytes taken until the answer */
    public void sent(DiscoveryResponse response, Delivery content, ViewState state, int reservedBytes, long nowMillis) {
        if (refused != null && repeatsRefused(state)) {
            refused = null;
        }
        underWay = content;
        boolean isFirst = isFirst();
        nonce = response.nonce();
        sentRevision = state.revision();
        // A response without a change does not measure the delay of changes.
        publishedNanos = isFirst || due != null ? 0 : state.publishedNanos();
        awaitsAnswer = true;
        sentAtMillis = nowMillis;
        budgetBytes = reservedBytes;
        due = null;
        initialVersions = Map.of();
        had = Set.of();
    }

    /** When the last sent change was published; 0 for other responses. */
    public long publishedNanos() {
        return publishedNanos;
    }

    /** The last response's bytes to be released, once. */
    int takeBudget() {
        int bytes = budgetBytes;
        budgetBytes = 0;
        return bytes;
    }

    public void acknowledged(long nowMillis) {
        awaitsAnswer = false;
        sentAtMillis = 0;
        underWay = null;
        if (refused != null) {
            // Requested names; refused ones are still to come.
            return;
        }
        if (error != null || acknowledgedRevision == TableEntry.NOTHING) {
            sinceMillis = nowMillis;
        }
        error = null;
        acknowledgedRevision = sentRevision;
    }

    public void refused(String why, long nowMillis) {
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
