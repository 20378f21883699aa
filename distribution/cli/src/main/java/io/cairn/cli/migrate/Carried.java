package io.cairn.cli.migrate;

/** The versions of both servers when they last agreed; a server may store a text in another form. */
public record Carried(ConfigVersion source, ConfigVersion target, boolean byBridge) {

    public ConfigVersion at(Side side) {
        return side == Side.SOURCE ? source : target;
    }
}
