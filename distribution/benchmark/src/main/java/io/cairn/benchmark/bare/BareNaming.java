package io.cairn.benchmark.bare;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;

/** Services by name with their view ready to be sent, and who subscribes. Groups and namespaces are ignored. */
final class BareNaming {
    private final Map<String, Service> services = new ConcurrentHashMap<>();
    private volatile BiConsumer<String, List<String>> follower = (name, instances) -> {};
    private volatile boolean muted;

    /** Wants every view of a service. */
    interface Subscriber {
        void push(String view);
    }

    private static final class Service {
        private final String name;

        /** The instances in JSON by who registered them: a connection, or an address over HTTP. */
        private final Map<Object, List<String>> published = new LinkedHashMap<>();

        private final Set<Subscriber> subscribers = ConcurrentHashMap.newKeySet();
        private volatile String view = "";
        private volatile byte[] bytes = new byte[0];

        Service(String name) {
            this.name = name;
            show();
        }

        List<String> instances() {
            return published.values().stream().flatMap(List::stream).toList();
        }

        void show() {
            String hosts = String.join(",", instances());
            view = "{\"name\":\"" + name + "\",\"groupName\":\"CAIRN_BENCHMARK\",\"clusters\":\"\","
                    + "\"cacheMillis\":10000,\"hosts\":[" + hosts + "],\"lastRefTime\":1700000000000,"
                    + "\"checksum\":\"\",\"allIPs\":false,\"reachProtectionThreshold\":false,\"valid\":true}";
            bytes = view.getBytes(UTF_8);
        }
    }

    /** Calls it with the name and all instances of each service that changes from now on; changes of one service in order. */
    void follow(BiConsumer<String, List<String>> listener) {
        follower = listener;
    }

    /** Has it notify no subscriber from now on. */
    void mute() {
        muted = true;
    }

    private Service service(String name) {
        return services.computeIfAbsent(name, Service::new);
    }

    /** @param instances all that the publisher has there; none to leave */
    void publish(String name, Object publisher, List<String> instances) {
        Service service = service(name);
        synchronized (service) {
            if (instances.isEmpty()) {
                service.published.remove(publisher);
            } else {
                service.published.put(publisher, instances);
            }
            service.show();
            follower.accept(name, service.instances());
            if (!muted) {
                service.subscribers.forEach(subscriber -> subscriber.push(service.view));
            }
        }
    }

    boolean isPublished(String name, Object publisher) {
        Service service = service(name);
        synchronized (service) {
            return service.published.containsKey(publisher);
        }
    }

    /** The names that begin so and end with a number. */
    List<String> names(String prefix) {
        return services.keySet().stream()
                .filter(name -> name.startsWith(prefix)
                        && name.substring(prefix.length()).matches("\\d+"))
                .toList();
    }

    void unsubscribe(String name, Subscriber subscriber) {
        service(name).subscribers.remove(subscriber);
    }

    String view(String name) {
        return service(name).view;
    }

    byte[] bytes(String name) {
        return service(name).bytes;
    }

    void subscribe(String name, Subscriber subscriber) {
        service(name).subscribers.add(subscriber);
    }

    /** Takes away what the connection registered, and tells nobody: most subscribers leave in the same moment. */
    void forget(Object connection) {
        for (Service service : services.values()) {
            synchronized (service) {
                service.subscribers.remove(connection);
                if (service.published.remove(connection) != null) {
                    service.show();
                    follower.accept(service.name, service.instances());
                }
            }
        }
    }

    /** The objects directly within the array or object that the member opens; no brace stands in a string. */
    static List<String> objects(String json, String member) {
        var objects = new ArrayList<String>();
        int at = json.indexOf("\"" + member + "\":") + member.length() + 3;
        boolean array = json.charAt(at) == '[';
        int depth = 0;
        int start = at;
        for (int i = at; i < json.length(); i++) {
            char c = json.charAt(i);
            if (c == '{' && depth++ == 0) {
                start = i;
            } else if (c == '}' && --depth == 0) {
                objects.add(json.substring(start, i + 1));
            }
            if (depth == 0 && (array ? c == ']' : c == '}')) {
                break;
            }
        }
        return objects;
    }
}
