package io.cairn.server.xds;

import java.util.Comparator;

/** Where endpoints are; empty texts for what is not known. */
record Locality(String region, String zone, String subZone) implements Comparable<Locality> {

    private static final Comparator<Locality> ORDER =
            Comparator.comparing(Locality::region).thenComparing(Locality::zone).thenComparing(Locality::subZone);

    Locality withSubZone(String now) {
        return new Locality(region, zone, now);
    }

    @Override
    public int compareTo(Locality other) {
        return ORDER.compare(this, other);
    }
}
