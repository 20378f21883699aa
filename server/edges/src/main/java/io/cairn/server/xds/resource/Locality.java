package io.cairn.server.xds.resource;

import java.util.Comparator;

/** The place of endpoints; empty texts where unknown. */
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
