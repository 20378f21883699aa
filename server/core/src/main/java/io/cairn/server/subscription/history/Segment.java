package io.cairn.server.subscription.history;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ContentDigest;
import io.cairn.api.config.Namespace;
import io.cairn.server.subscription.history.ClientEvent.Kind;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The format of a file of events. Clients, configurations and digests are numbered at their first event in the file, so each file
 * can be read alone. Numbers have seven bits in each byte, the low ones first; texts are UTF-8 after their length. A record:
 *
 * <pre>
 * 1 client:  ip app instance sdk connectionId
 * 2 key:     namespace group dataId
 * 3 digest:  16 bytes
 * 4 to 9:    the kind of an event, milliseconds since the former event (zigzag), then
 *   LISTENED client count (key digest)*     NOTIFIED client key     FOLLOWED, BEHIND client key digest
 *   LEFT client                             MISSING count
 * </pre>
 *
 * <p>Digest 0 stands for no content. An incomplete record at the end, of a killed process, is left out.
 */
final class Segment {

    private static final int CLIENT = 1;
    private static final int KEY = 2;
    private static final int DIGEST = 3;

    private Segment() {}

    /** Encodes events. Not thread-safe. */
    static final class Writer {

        private final Map<SeenClient, Integer> clients = new HashMap<>();
        private final Map<ConfigKey, Integer> keys = new HashMap<>();
        private final Map<ContentDigest, Integer> digests = new HashMap<>();
        private byte[] bytes = new byte[1 << 12];
        private int size;
        private int nextClient;
        private long lastMillis;

        void listened(
                long atMillis,
                SeenClient client,
                List<ConfigKey> listened,
                List<? extends @Nullable ContentDigest> held) {
            int[] pairs = new int[2 * listened.size()];
            for (int i = 0; i < listened.size(); i++) {
                pairs[2 * i] = number(listened.get(i));
                pairs[2 * i + 1] = number(held.get(i));
            }
            begin(Kind.LISTENED, atMillis, number(client));
            number(listened.size());
            for (int each : pairs) {
                number(each);
            }
        }

        void notified(long atMillis, SeenClient client, ConfigKey key) {
            int keyNumber = number(key);
            begin(Kind.NOTIFIED, atMillis, number(client));
            number(keyNumber);
        }

        /** An event of kind FOLLOWED or BEHIND. */
        void holds(Kind kind, long atMillis, SeenClient client, ConfigKey key, @Nullable ContentDigest digest) {
            int keyNumber = number(key);
            int digestNumber = number(digest);
            begin(kind, atMillis, number(client));
            number(keyNumber);
            number(digestNumber);
        }

        void left(long atMillis, SeenClient client) {
            begin(Kind.LEFT, atMillis, number(client));
            clients.remove(client);
        }

        void missing(long atMillis, long count) {
            begin(Kind.MISSING, atMillis, count);
        }

        /** The bytes since the last call. */
        ByteBuffer take() {
            ByteBuffer taken = ByteBuffer.wrap(Arrays.copyOf(bytes, size));
            size = 0;
            return taken;
        }

        private void begin(Kind kind, long atMillis, long first) {
            put(kind.code());
            long passed = atMillis - lastMillis;
            number((passed << 1) ^ (passed >> 63));
            lastMillis = atMillis;
            number(first);
        }

        private int number(SeenClient client) {
            Integer known = clients.get(client);
            if (known == null) {
                known = nextClient++;
                clients.put(client, known);
                put(CLIENT);
                number(known);
                text(client.ip());
                text(client.app());
                text(client.instance());
                text(client.sdk());
                text(client.connectionId());
            }
            return known;
        }

        private int number(ConfigKey key) {
            Integer known = keys.get(key);
            if (known == null) {
                known = keys.size();
                keys.put(key, known);
                put(KEY);
                text(key.namespace().id());
                text(key.group());
                text(key.dataId());
            }
            return known;
        }

        private int number(@Nullable ContentDigest digest) {
            if (digest == null) {
                return 0;
            }
            Integer known = digests.get(digest);
            if (known == null) {
                known = digests.size() + 1;
                digests.put(digest, known);
                put(DIGEST);
                eight(digest.high());
                eight(digest.low());
            }
            return known;
        }

        private void number(long value) {
            long left = value;
            while ((left & ~0x7fL) != 0) {
                put((int) (left & 0x7f | 0x80));
                left >>>= 7;
            }
            put((int) left);
        }

        private void text(String text) {
            byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
            number(utf8.length);
            room(utf8.length);
            System.arraycopy(utf8, 0, bytes, size, utf8.length);
            size += utf8.length;
        }

        private void eight(long value) {
            room(Long.BYTES);
            ByteBuffer.wrap(bytes).putLong(size, value);
            size += Long.BYTES;
        }

        private void put(int value) {
            room(1);
            bytes[size++] = (byte) value;
        }

        private void room(int more) {
            if (size + more > bytes.length) {
                bytes = Arrays.copyOf(bytes, Math.max(size + more, 2 * bytes.length));
            }
        }
    }

    /** Decodes the events of one file, in their order. */
    static final class Reader {

        private final ByteBuffer in;
        private final Map<Integer, SeenClient> clients = new HashMap<>();
        private final List<ConfigKey> keys = new ArrayList<>();
        private final List<ContentDigest> digests = new ArrayList<>();
        private long lastMillis;

        Reader(ByteBuffer in) {
            this.in = in;
        }

        /** @throws MalformedSegmentException for bytes that no writer has written; the events before have been passed on */
        void read(EventFilter filter, Consumer<ClientEvent> events) throws MalformedSegmentException {
            try {
                while (in.hasRemaining()) {
                    readOne(filter, events);
                }
            } catch (BufferUnderflowException incomplete) {
                // A killed process, or a running write, leaves a part of the last record.
                return;
            } catch (IndexOutOfBoundsException | IllegalArgumentException e) {
                throw new MalformedSegmentException("at byte " + in.position() + ": " + e.getMessage(), e);
            }
        }

        private void readOne(EventFilter filter, Consumer<ClientEvent> events) {
            int code = in.get();
            switch (code) {
                case CLIENT -> clients.put((int) number(), new SeenClient(text(), text(), text(), text(), text()));
                case KEY -> keys.add(key());
                case DIGEST -> digests.add(new ContentDigest(in.getLong(), in.getLong()));
                default -> event(kind(code), filter, events);
            }
        }

        private static Kind kind(int code) {
            for (Kind kind : Kind.values()) {
                if (kind.code() == code) {
                    return kind;
                }
            }
            throw new IllegalArgumentException("unknown record " + code);
        }

        private void event(Kind kind, EventFilter filter, Consumer<ClientEvent> events) {
            long zigzag = number();
            lastMillis += (zigzag >>> 1) ^ -(zigzag & 1);
            long first = number();
            if (kind == Kind.MISSING) {
                events.accept(new ClientEvent(lastMillis, kind, null, null, null, first));
                return;
            }
            SeenClient client = clients.get((int) first);
            if (client == null) {
                throw new IllegalArgumentException("unknown client " + first);
            }
            boolean isWanted = filter.takes(client);
            long pairs = kind == Kind.LISTENED ? number() : kind == Kind.LEFT ? 0 : 1;
            for (long i = 0; i < pairs; i++) {
                ConfigKey key = keys.get((int) number());
                ContentDigest digest = kind == Kind.NOTIFIED ? null : digest();
                if (isWanted && filter.takes(key)) {
                    events.accept(new ClientEvent(lastMillis, kind, client, key, digest, 0));
                }
            }
            if (kind == Kind.LEFT && isWanted && filter.takes((ConfigKey) null)) {
                events.accept(new ClientEvent(lastMillis, kind, client, null, null, 0));
            }
        }

        private ConfigKey key() {
            return new ConfigKey(Namespace.ofNullable(text()), text(), text());
        }

        private @Nullable ContentDigest digest() {
            int number = (int) number();
            return number == 0 ? null : digests.get(number - 1);
        }

        private long number() {
            long value = 0;
            for (int shift = 0; shift < Long.SIZE; shift += 7) {
                byte next = in.get();
                value |= (next & 0x7fL) << shift;
                if (next >= 0) {
                    return value;
                }
            }
            throw new IllegalArgumentException("a number of more than 64 bits");
        }

        private String text() {
            int length = (int) number();
            if (length < 0 || length > in.remaining()) {
                throw new BufferUnderflowException();
            }
            byte[] utf8 = new byte[length];
            in.get(utf8);
            return new String(utf8, StandardCharsets.UTF_8);
        }
    }

    /** The file has bytes that are no events. */
    static final class MalformedSegmentException extends Exception {

        private static final long serialVersionUID = 1;

        MalformedSegmentException(String message, Throwable cause) {
            super(message, cause);
        }
    }
}
