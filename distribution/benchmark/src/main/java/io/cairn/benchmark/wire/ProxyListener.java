package io.cairn.benchmark.wire;

import org.jspecify.annotations.Nullable;

/** Hears what the control plane sends to one proxy, before it is acknowledged. Called on the connection's event loop. */
public interface ProxyListener {
    ProxyListener NONE = new ProxyListener() {
        @Override
        public void endpoints(int service, int count, int sumOfPorts) {}

        @Override
        public void received(int bytes) {}

        @Override
        public void ended(@Nullable String failure) {}
    };

    /** The endpoints that a service has now. */
    void endpoints(int service, int count, int sumOfPorts);

    /**
     * A response is read.
     *
     * @param bytes of the whole message
     */
    void received(int bytes);

    /** The stream has ended, for a reason that is one line; null when its status was OK. */
    void ended(@Nullable String failure);
}
