package io.cairn.server.change;

/** Something that happened to the stored state, durable before anyone hears of it. */
public sealed interface Change permits ConfigChanged {

    /** Its place in the order of all changes; gapless. */
    long revision();
}
