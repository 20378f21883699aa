package com.example.orders;

import io.cairn.api.naming.Instance;
import io.cairn.client.CairnClient;
import io.cairn.client.balance.Balancers;
import io.cairn.client.config.ConfigView;
import io.cairn.client.naming.Registration;
import io.cairn.client.naming.ServiceSelector;
import java.time.Duration;

/** Follows a configuration and calls a service. */
public final class Orders implements AutoCloseable {

    public record Limits(Duration timeout, int lines) {}

    private final CairnClient client;
    private final ConfigView<Limits> limits;
    private final ServiceSelector stock;

    public Orders(String... servers) {
        client = CairnClient.builder().servers(servers).noSnapshots().build();
        limits = client.configs().view(client.configs().key("orders.yaml"), Limits.class);
        stock = client.naming().select(client.naming().service("stock"), Balancers.weighted());
    }

    /** Always the newest. */
    public Limits limits() {
        return limits.get();
    }

    public Registration register(String ip, int port) {
        return client.naming().register(client.naming().service("orders"), Instance.of(ip, port));
    }

    /** The address of a healthy instance. */
    public String callStock() {
        try (ServiceSelector.Choice choice = stock.choose().orElseThrow()) {
            return choice.instance().key().ip() + ':' + choice.instance().key().port();
        }
    }

    @Override
    public void close() {
        client.close();
    }
}
