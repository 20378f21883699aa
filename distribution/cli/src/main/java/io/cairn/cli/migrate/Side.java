package io.cairn.cli.migrate;

import java.util.EnumSet;
import java.util.Set;

public enum Side {
    SOURCE,
    TARGET;

    static Set<Side> withCopies(boolean bothWays) {
        return bothWays ? EnumSet.allOf(Side.class) : EnumSet.of(TARGET);
    }

    public Side other() {
        return this == SOURCE ? TARGET : SOURCE;
    }

    @Override
    public String toString() {
        return this == SOURCE ? "source" : "target";
    }
}
