package io.cairn.server.xds;

import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The state of one type on a stream: its subscription, the last response, and whether the client accepted it. Written
 * on the event loop of the stream; the page of the proxies reads the volatile fields.
 */
final class TypeState {

    private static final int MAX_ERROR_LENGTH = 1024;

    private final XdsType type;
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
    /** The versions that the client has from an earlier stream, until the first response. */
    private Map<String, String> initialVersions = Map.of();

    TypeState(XdsType type, Subscription subscription, long nowMillis) {
        this.type = type;
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

    Map<String, String> initialVersions() {
        return initialVersions;
    }

    void initialVersions(Map<String, String> versions) {
        initialVersions = versions;
    }

    @Nullable
    Set<String> due() {
        return due;
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

    /** All is sent again with the next response, but what is among the initial versions and not due. */
    void forgetSent() {
        sentRevision = ViewState.NOTHING;
    }

    /** @param budgetBytes that were taken for the response, until it is answered */
    void sent(DiscoveryResponse response, ViewState state, int takenBytes, long nowMillis) {
        boolean isFirst = isFirst();
        nonce = response.nonce();
        sentRevision = state.revision();
        // What is sent for another reason than a change says nothing of how long changes take.
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
        if (error != null || acknowledgedRevision == ViewState.NOTHING) {
            sinceMillis = nowMillis;
        }
        error = null;
        acknowledgedRevision = sentRevision;
    }

    void refused(String why, long nowMillis) {
        awaitsAnswer = false;
        sentAtMillis = 0;
        if (error == null) {
            sinceMillis = nowMillis;
        }
        error = why.length() > MAX_ERROR_LENGTH ? why.substring(0, MAX_ERROR_LENGTH) : why;
    }
}
