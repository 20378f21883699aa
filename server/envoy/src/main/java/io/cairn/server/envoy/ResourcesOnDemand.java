package io.cairn.server.envoy;

import io.cairn.server.mesh.EnvoyResources;
import io.cairn.server.mesh.StoredName;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Loads the descriptors and protobuf's classes at the first use, because most servers have no proxies. So no member of this class
 * has a type of protobuf.
 */
final class ResourcesOnDemand implements EnvoyResources {

    private final @Nullable Path file;
    private final UnknownFields unknownFields;
    private final Object lock = new Object();
    private volatile @Nullable EnvoyResources loaded;

    ResourcesOnDemand(@Nullable Path file, UnknownFields unknownFields) {
        this.file = file;
        this.unknownFields = unknownFields;
    }

    private EnvoyResources resources() {
        EnvoyResources known = loaded;
        if (known == null) {
            synchronized (lock) {
                known = loaded;
                if (known == null) {
                    known = DescribedResources.load(file, unknownFields);
                    loaded = known;
                }
            }
        }
        return known;
    }

    @Override
    public Checked check(StoredName name, String content) {
        return resources().check(name, content);
    }

    @Override
    public String json(String typeUrl, byte[] value) {
        return resources().json(typeUrl, value);
    }
}
