package io.cairn.server.naming.stored;

import io.cairn.api.naming.InstanceKey;

/**
 * An event in the drain of an instance.
 *
 * @param atMillis in epoch milliseconds
 * @param by the user who began or ended the drain; empty for the server
 * @param subscribers the number of subscribers with the list without the instance
 * @param waiting the number of subscribers that had not acknowledged it at the time limit
 */
public record DrainEvent(Kind kind, long atMillis, InstanceKey instance, String by, int subscribers, int waiting) {

    public enum Kind {
        BEGUN("drain begun"),
        ACKNOWLEDGED("every subscriber has acknowledged the drain"),
        /** At the time limit. */
        UNACKNOWLEDGED("subscribers have not acknowledged the drain in time"),
        ENDED("drain ended"),
        DEREGISTERED("drain ended with the deregistration"),
        EXPIRED("drain ended at its time");

        private final String text;

        Kind(String text) {
            this.text = text;
        }

        public String text() {
            return text;
        }
    }
}
