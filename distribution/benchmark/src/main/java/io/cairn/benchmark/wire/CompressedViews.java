package io.cairn.benchmark.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufInputStream;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.zip.CRC32;
import java.util.zip.GZIPInputStream;

/**
 * Reads compressed views. All subscribers of a service get the same bytes: they are decompressed once, so that the load generator does
 * not take the cores that the server needs. Thread-safe.
 */
final class CompressedViews {
    /** Views that are on their way to some of their receivers, with a margin. */
    private static final int KEPT = 64;

    private static final int PIECE_BYTES = 64 * 1024;

    private final ConcurrentHashMap<Key, View> views = new ConcurrentHashMap<>();

    /** Distinguishes the compressed bytes of the few views that are under way at the same time. */
    private record Key(int length, long checksum) {}

    private record Mark(int index, int version) {}

    /** @param head what the first bytes of the message say */
    private record View(Envelope head, List<Mark> marks) {}

    /** Reports the instances of a whole compressed message to the listener; returns what its first bytes say. */
    Envelope read(ByteBuf compressed, ViewListener listener) {
        byte[] bytes = ByteBufUtil.getBytes(compressed);
        var checksum = new CRC32();
        checksum.update(bytes);
        if (views.size() > KEPT) {
            views.clear();
        }
        View view = views.computeIfAbsent(new Key(bytes.length, checksum.getValue()), key -> decompress(bytes));
        view.marks.forEach(mark -> listener.instance(mark.index, mark.version));
        return view.head;
    }

    /** A whole message as it was before it was compressed. */
    static ByteBuf decompressed(ByteBuf compressed) {
        try (var in = new GZIPInputStream(new ByteBufInputStream(compressed.duplicate()))) {
            return Unpooled.wrappedBuffer(in.readAllBytes());
        } catch (IOException e) {
            throw new UncheckedIOException("a compressed answer cannot be read", e);
        }
    }

    private static View decompress(byte[] bytes) {
        var marks = new ArrayList<Mark>();
        var scanner = new ViewScanner(new ViewListener() {
            @Override
            public void instance(int index, int version) {
                marks.add(new Mark(index, version));
            }

            @Override
            public void viewed(int length) {}
        });
        try (var in = new GZIPInputStream(new ByteArrayInputStream(bytes), PIECE_BYTES)) {
            byte[] piece = new byte[PIECE_BYTES];
            for (int read = in.read(piece); read >= 0; read = in.read(piece)) {
                scanner.scan(Unpooled.wrappedBuffer(piece), 0, read);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("a compressed view cannot be read", e);
        }
        return new View(scanner.finish(), List.copyOf(marks));
    }
}
