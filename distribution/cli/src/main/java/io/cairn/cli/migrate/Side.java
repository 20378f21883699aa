package io.cairn.cli.migrate;

public enum Side {
    SOURCE,
    TARGET;

    public Side other() {
        return this == SOURCE ? TARGET : SOURCE;
    }

    @Override
    public String toString() {
        return this == SOURCE ? "source" : "target";
    }
}
