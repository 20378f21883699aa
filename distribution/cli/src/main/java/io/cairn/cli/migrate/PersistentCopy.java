package io.cairn.cli.migrate;

import io.cairn.api.config.Namespace;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A persistent copy, which outlives the bridge, as a text of its journal. */
record PersistentCopy(Side at, ServiceKey service, Instance instance) {

    private static final int FIXED = 10;

    String line() {
        List<String> fields = new ArrayList<>(List.of(
                at.name(),
                service.namespace().id(),
                service.group(),
                service.name(),
                instance.key().ip(),
                String.valueOf(instance.key().port()),
                instance.key().cluster(),
                String.valueOf(instance.weight()),
                String.valueOf(instance.healthy()),
                String.valueOf(instance.enabled())));
        instance.metadata().forEach((name, value) -> {
            fields.add(name);
            fields.add(value);
        });
        return String.join(
                "&",
                fields.stream()
                        .map(field -> URLEncoder.encode(field, StandardCharsets.UTF_8))
                        .toList());
    }

    static List<PersistentCopy> all(Journal journal) {
        return journal.persistent().stream()
                .flatMap(line -> read(line).stream())
                .toList();
    }

    static Optional<PersistentCopy> read(String line) {
        String[] fields = line.split("&", -1);
        for (int i = 0; i < fields.length; i++) {
            fields[i] = URLDecoder.decode(fields[i], StandardCharsets.UTF_8);
        }
        if (fields.length < FIXED || fields.length % 2 != 0) {
            return Optional.empty();
        }
        Map<String, String> metadata = new LinkedHashMap<>();
        for (int i = FIXED; i < fields.length; i += 2) {
            metadata.put(fields[i], fields[i + 1]);
        }
        return Optional.of(new PersistentCopy(
                Side.valueOf(fields[0]),
                new ServiceKey(Namespace.ofNullable(fields[1]), fields[2], fields[3]),
                new Instance(
                        new InstanceKey(fields[4], Integer.parseInt(fields[5]), fields[6]),
                        Double.parseDouble(fields[7]),
                        Boolean.parseBoolean(fields[8]),
                        Boolean.parseBoolean(fields[9]),
                        false,
                        metadata,
                        null)));
    }
}
