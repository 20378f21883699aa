package io.cairn.server.compatibility;

import com.alibaba.nacos.api.exception.NacosException;

/**
 * Creates the first client of a kind alone: to a second thread the loader of extensions shows a part of its list
 * (nacos-client 2.5.1).
 */
final class FirstClient {
    private static final Object LOADER = new Object();

    private volatile boolean isCreated;

    interface Creation<T> {
        T create() throws NacosException;
    }

    <T> T before(Creation<T> creation) throws NacosException {
        if (!isCreated) {
            synchronized (LOADER) {
                T first = creation.create();
                isCreated = true;
                return first;
            }
        }
        return creation.create();
    }
}
