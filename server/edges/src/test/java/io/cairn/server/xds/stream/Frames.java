package io.cairn.server.xds.stream;

import io.cairn.server.xds.resource.XdsType;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/** Writes requests and reads responses of both protocols. */
public final class Frames {

    private Frames() {}

    /** A message under construction. */
    public static final class Message {

        private final ByteArrayOutputStream out = new ByteArrayOutputStream();

        public Message text(int field, String value) {
            return bytes(field, value.getBytes(StandardCharsets.UTF_8));
        }

        public Message texts(int field, List<String> values) {
            values.forEach(value -> text(field, value));
            return this;
        }

        public Message message(int field, Message value) {
            return bytes(field, value.out.toByteArray());
        }

        private Message bytes(int field, byte[] value) {
            varint(field << 3 | 2);
            varint(value.length);
            out.writeBytes(value);
            return this;
        }

        private void varint(int value) {
            int rest = value;
            while ((rest & ~0x7f) != 0) {
                out.write(rest & 0x7f | 0x80);
                rest >>>= 7;
            }
            out.write(rest);
        }

        public byte[] toBytes() {
            return out.toByteArray();
        }
    }

    public static Message node(String id, String agent, Map<String, String> metadata) {
        Message struct = new Message();
        metadata.forEach(
                (key, value) -> struct.message(1, new Message().text(1, key).message(2, new Message().text(3, value))));
        return new Message()
                .text(1, id)
                .text(2, "tests")
                .message(3, struct)
                .text(6, agent)
                .text(7, "1.40.0");
    }

    public static Message error(String text) {
        return new Message().text(2, text);
    }

    /** A response as a client reads it: the names and versions of its resources, and the names that are removed. */
    public record Response(
            String type,
            String version,
            String nonce,
            Map<String, String> resources,
            TreeSet<String> removed,
            String controlPlane) {

        /** Such as {@code cds [a, b] -[c]}. */
        @Override
        public String toString() {
            return type + " " + resources.keySet() + (removed.isEmpty() ? "" : " -" + removed);
        }
    }

    public static Response read(byte[] response, boolean delta) {
        MessageInput in = new MessageInput(response);
        String type = "";
        String version = "";
        String nonce = "";
        Map<String, String> resources = new TreeMap<>();
        TreeSet<String> removed = new TreeSet<>();
        String controlPlane = "";
        while (in.next()) {
            switch (in.field()) {
                case 1 -> version = in.text();
                case 2 -> {
                    if (delta) {
                        readResource(in.message(), resources);
                    } else {
                        readAny(in.message(), resources);
                    }
                }
                case 4 -> type = XdsType.of(in.text()).shortName();
                case 5 -> nonce = in.text();
                case 6 -> {
                    if (delta) {
                        removed.add(in.text());
                    } else {
                        controlPlane = identifier(in.message());
                    }
                }
                case 7 -> controlPlane = identifier(in.message());
                default -> throw new AssertionError("field " + in.field());
            }
        }
        return new Response(type, version, nonce, resources, removed, controlPlane);
    }

    private static String identifier(MessageInput controlPlane) {
        return controlPlane.next() ? controlPlane.text() : "";
    }

    private static void readResource(MessageInput in, Map<String, String> resources) {
        String name = "";
        String version = "";
        while (in.next()) {
            if (in.field() == 1) {
                version = in.text();
            } else if (in.field() == 3) {
                name = in.text();
            }
        }
        resources.put(name, version);
    }

    private static void readAny(MessageInput in, Map<String, String> resources) {
        while (in.next()) {
            if (in.field() == 2) {
                MessageInput value = in.message();
                List<String> texts = new ArrayList<>();
                while (value.next()) {
                    if (value.field() == 1) {
                        texts.add(value.text());
                    } else if (value.field() == 99) {
                        texts.add(value.text());
                    }
                }
                resources.put(texts.get(0), texts.size() < 2 ? "" : texts.get(1));
            }
        }
    }
}
