package io.cairn.server.cluster.wire;

import io.cairn.api.config.Namespace;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.naming.registry.MirroredPublication;
import io.cairn.server.naming.registry.Publisher;
import io.cairn.server.naming.registry.PublisherDescription;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The fields of entries. A message describes each publisher and service once, before its first entry; entries refer to the
 * description by its index.
 */
final class EntryFields {

    // Fields of the messages that carry entries, beside their own.
    static final int PUBLISHER = 20;
    static final int SERVICE = 21;
    static final int ENTRY = 22;

    private static final int PUBLISHER_ID = 1;
    private static final int PUBLISHER_KIND = 2;
    private static final int CLIENT_IP = 3;
    private static final int CLIENT_PORT = 4;
    private static final int CLIENT_APP = 5;
    private static final int CLIENT_SDK = 6;

    private static final int SERVICE_NAME = 1;
    private static final int SERVICE_GROUP = 2;
    private static final int SERVICE_NAMESPACE = 3;

    private static final int OPERATION = 1;
    private static final int SEQUENCE = 2;
    private static final int ENTRY_SERVICE = 3;
    private static final int ENTRY_PUBLISHER = 4;
    private static final int GONE_PUBLISHER_ID = 5;
    private static final int CHANGED_AT = 6;
    private static final int INSTANCES = 7;
    private static final int MOVED_TO = 8;
    private static final int INSTANCE_KEY = 9;
    private static final int HEALTHY = 10;

    private static final int SET = 1;
    private static final int GONE = 2;
    private static final int MOVED = 3;
    private static final int CHECK = 4;
    private static final int UNCHECK = 5;
    private static final int FORGET = 6;

    /** The wire code of a kind is its index. */
    private static final List<Publisher.Kind> KINDS = List.of(
            Publisher.Kind.CONNECTION, Publisher.Kind.HTTP, Publisher.Kind.PERSISTENT, Publisher.Kind.RECOVERED);

    private EntryFields() {}

    static final class Writer {

        private final FieldWriter out;
        private final Map<PublisherDescription, Integer> publishers = new HashMap<>();
        private final Map<ServiceKey, Integer> services = new HashMap<>();

        Writer(FieldWriter out) {
            this.out = out;
        }

        /** Writes the entry unless the message would become longer than that. */
        boolean add(RegistryEntry entry, int maxBytes) {
            int before = out.length();
            boolean newService = !services.containsKey(entry.service());
            PublisherDescription publisher = entry instanceof RegistryEntry.Published set
                    ? set.publication().publisher()
                    : null;
            boolean newPublisher = publisher != null && !publishers.containsKey(publisher);
            if (newService) {
                services.put(entry.service(), services.size());
                int start = out.open(SERVICE);
                writeService(out, entry.service());
                out.close(start);
            }
            if (publisher != null && newPublisher) {
                publishers.put(publisher, publishers.size());
                int start = out.open(PUBLISHER);
                write(publisher);
                out.close(start);
            }
            int start = out.open(ENTRY);
            write(entry);
            out.close(start);
            if (out.length() <= maxBytes) {
                return true;
            }
            out.truncate(before);
            if (newService) {
                services.remove(entry.service());
            }
            if (newPublisher) {
                publishers.remove(publisher);
            }
            return false;
        }

        private void write(PublisherDescription publisher) {
            out.text(PUBLISHER_ID, publisher.id());
            out.number(PUBLISHER_KIND, KINDS.indexOf(publisher.kind()));
            Publisher.Client client = publisher.client();
            out.text(CLIENT_IP, client.ip(), "");
            out.number(CLIENT_PORT, client.port(), 0);
            out.text(CLIENT_APP, client.app(), "");
            out.text(CLIENT_SDK, client.version(), "");
        }

        private void write(RegistryEntry entry) {
            out.number(SEQUENCE, entry.sequence());
            out.number(ENTRY_SERVICE, placeOf(services, entry.service()));
            if (entry instanceof RegistryEntry.Published set) {
                MirroredPublication publication = set.publication();
                out.number(OPERATION, SET);
                out.number(ENTRY_PUBLISHER, placeOf(publishers, publication.publisher()));
                out.number(CHANGED_AT, publication.publishedAt());
                EncodedInstances instances = publication.instances() instanceof EncodedInstances encoded
                        ? encoded
                        : EncodedInstances.of(publication.instances().decode());
                out.bytes(INSTANCES, instances.bytes());
            } else if (entry instanceof RegistryEntry.Gone gone) {
                out.number(OPERATION, GONE);
                out.text(GONE_PUBLISHER_ID, gone.publisherId());
            } else if (entry instanceof RegistryEntry.Moved moved) {
                out.number(OPERATION, MOVED);
                out.text(GONE_PUBLISHER_ID, moved.publisherId());
                out.text(MOVED_TO, moved.to());
            } else if (entry instanceof RegistryEntry.Checked checked) {
                out.number(OPERATION, CHECK);
                writeKey(checked.instance());
                out.number(HEALTHY, checked.healthy() ? 1 : 0);
            } else if (entry instanceof RegistryEntry.Unchecked unchecked) {
                out.number(OPERATION, UNCHECK);
                writeKey(unchecked.instance());
            } else {
                RegistryEntry.Forgotten forgotten = (RegistryEntry.Forgotten) entry;
                out.number(OPERATION, FORGET);
                writeKey(forgotten.instance());
                out.number(CHANGED_AT, forgotten.changedAt());
            }
        }

        private static <K> int placeOf(Map<K, Integer> places, K key) {
            Integer place = places.get(key);
            if (place == null) {
                throw new IllegalStateException(key + " is not described in the message");
            }
            return place;
        }

        private void writeKey(InstanceKey key) {
            int start = out.open(INSTANCE_KEY);
            InstanceFields.writeKey(out, key);
            out.close(start);
        }
    }

    static void writeService(FieldWriter out, ServiceKey service) {
        out.text(SERVICE_NAME, service.name());
        out.text(SERVICE_GROUP, service.group(), ServiceKey.DEFAULT_GROUP);
        out.text(SERVICE_NAMESPACE, service.namespace().id(), Namespace.DEFAULT.id());
    }

    static ServiceKey readService(FieldReader in) {
        String name = "";
        String group = ServiceKey.DEFAULT_GROUP;
        Namespace namespace = Namespace.DEFAULT;
        while (in.next()) {
            switch (in.tag()) {
                case SERVICE_NAME -> name = in.text();
                case SERVICE_GROUP -> group = in.text();
                case SERVICE_NAMESPACE -> namespace = Namespace.ofNullable(in.text());
                default -> {
                    // A later version has added it.
                }
            }
        }
        if (name.isBlank() || group.isBlank()) {
            throw in.malformed("name", "group '" + group + "', name '" + name + "' (expected: not blank)");
        }
        return InternedTexts.of(new ServiceKey(namespace, InternedTexts.of(group), name));
    }

    static final class Reader {

        private final List<PublisherDescription> publishers = new ArrayList<>();
        private final List<ServiceKey> services = new ArrayList<>();
        private final List<RegistryEntry> entries = new ArrayList<>();

        /** Reads the field if it belongs here; else returns false. */
        boolean takes(FieldReader in) {
            switch (in.tag()) {
                case PUBLISHER -> publishers.add(readPublisher(in.nested("publisher")));
                case SERVICE -> services.add(readService(in.nested("service")));
                case ENTRY -> {
                    RegistryEntry entry = readEntry(in.nested("entry"));
                    if (entry != null) {
                        entries.add(entry);
                    }
                }
                default -> {
                    return false;
                }
            }
            return true;
        }

        List<RegistryEntry> entries() {
            return entries;
        }

        private static PublisherDescription readPublisher(FieldReader in) {
            String id = "";
            int kind = -1;
            String ip = "";
            int port = 0;
            String app = "";
            String sdk = "";
            while (in.next()) {
                switch (in.tag()) {
                    case PUBLISHER_ID -> id = in.text();
                    case PUBLISHER_KIND -> kind = in.number("kind", 0, KINDS.size() - 1);
                    case CLIENT_IP -> ip = in.text();
                    case CLIENT_PORT -> port = in.number("port", 0, 65535);
                    case CLIENT_APP -> app = InternedTexts.of(in.text());
                    case CLIENT_SDK -> sdk = InternedTexts.of(in.text());
                    default -> {
                        // A later version has added it.
                    }
                }
            }
            if (id.isEmpty() || kind < 0) {
                throw in.malformed("id", "'" + id + "', kind " + kind + " (expected: both)");
            }
            return new PublisherDescription(id, KINDS.get(kind), new Publisher.Client(ip, port, app, sdk));
        }

        /** Null for an operation that a later version has added. */
        private @Nullable RegistryEntry readEntry(FieldReader in) {
            int operation = 0;
            long sequence = -1;
            int service = -1;
            int publisher = -1;
            String publisherId = null;
            long changedAt = -1;
            byte[] instances = null;
            String to = null;
            InstanceKey key = null;
            int healthy = -1;
            while (in.next()) {
                switch (in.tag()) {
                    case OPERATION -> operation = in.number("operation", 1, Integer.MAX_VALUE);
                    case SEQUENCE -> sequence = in.count("sequence");
                    case ENTRY_SERVICE -> service = in.number("service", 0, services.size() - 1);
                    case ENTRY_PUBLISHER -> publisher = in.number("publisher", 0, publishers.size() - 1);
                    case GONE_PUBLISHER_ID -> publisherId = in.text();
                    case CHANGED_AT -> changedAt = in.count("changedAt");
                    case INSTANCES -> instances = in.bytes();
                    case MOVED_TO -> to = in.text();
                    case INSTANCE_KEY -> key = InstanceFields.readKey(in.nested("instanceKey"));
                    case HEALTHY -> healthy = in.number("healthy", 0, 1);
                    default -> {
                        // A later version has added it.
                    }
                }
            }
            if (operation < SET || operation > FORGET) {
                if (operation == 0) {
                    throw in.malformed("operation", "none (expected: " + SET + "-" + FORGET + ")");
                }
                return null;
            }
            needed(in, "sequence", sequence >= 0);
            needed(in, "service", service >= 0);
            ServiceKey of = services.get(service);
            return switch (operation) {
                case SET -> {
                    needed(in, "publisher", publisher >= 0);
                    needed(in, "changedAt", changedAt >= 0);
                    yield new RegistryEntry.Published(
                            sequence,
                            new MirroredPublication(
                                    publishers.get(publisher),
                                    of,
                                    changedAt,
                                    EncodedInstances.received(present(in, "instances", instances))));
                }
                case GONE -> new RegistryEntry.Gone(sequence, present(in, "publisherId", publisherId), of);
                case MOVED ->
                    new RegistryEntry.Moved(
                            sequence, present(in, "publisherId", publisherId), of, present(in, "to", to));
                case CHECK -> {
                    needed(in, "healthy", healthy >= 0);
                    yield new RegistryEntry.Checked(sequence, of, present(in, "instanceKey", key), healthy == 1);
                }
                case UNCHECK -> new RegistryEntry.Unchecked(sequence, of, present(in, "instanceKey", key));
                default -> {
                    needed(in, "changedAt", changedAt >= 0);
                    yield new RegistryEntry.Forgotten(sequence, of, present(in, "instanceKey", key), changedAt);
                }
            };
        }

        private static void needed(FieldReader in, String field, boolean there) {
            if (!there) {
                throw in.malformed(field, "absent");
            }
        }

        private static <T> T present(FieldReader in, String field, @Nullable T value) {
            if (value == null) {
                throw in.malformed(field, "absent");
            }
            return value;
        }
    }
}
