package io.cairn.server.cluster.wire;

import java.io.ByteArrayOutputStream;
import org.jspecify.annotations.Nullable;

/** Joins the fragments of one sender. For one thread. */
public final class FragmentAssembly {

    private @Nullable ByteArrayOutputStream whole;
    private int expected;

    /** The message with its last fragment; else null, also when earlier ones are missing. */
    public byte @Nullable [] take(ClusterMessage.Fragment fragment) {
        if (fragment.index() == 0) {
            whole = new ByteArrayOutputStream(ClusterCodec.MAX_BYTES);
            expected = 0;
        }
        ByteArrayOutputStream open = whole;
        if (open == null
                || fragment.index() != expected
                || open.size() + fragment.bytes().length > ClusterCodec.MAX_WHOLE_BYTES) {
            whole = null;
            return null;
        }
        open.writeBytes(fragment.bytes());
        expected++;
        if (!fragment.last()) {
            return null;
        }
        whole = null;
        return open.toByteArray();
    }
}
