package io.cairn.benchmark.wire;

/**
 * Hears the views of services that the server pushes, while they arrive: first the marked instances of a view, then its
 * end. Called on the connection's event loop.
 */
public interface ViewListener {
    ViewListener NONE = new ViewListener() {
        @Override
        public void instance(int index, int version) {}

        @Override
        public void viewed(int bytes) {}
    };

    /** One instance of the view that is arriving, as {@link NamingMessages.Instance} marks it. */
    void instance(int index, int version);

    /**
     * The view is complete; the connection acknowledges it soon after.
     *
     * @param bytes of the whole message
     */
    void viewed(int bytes);
}
