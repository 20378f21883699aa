package io.cairn.server.naming.health;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A subject that believes its reports, and remembers them. */
class TestSubject implements Checked {

    final List<String> reports = new CopyOnWriteArrayList<>();
    volatile String host = "10.0.0.1";
    volatile int port = 8080;
    volatile HealthCheck check = HealthCheck.TCP;
    volatile boolean healthy = true;

    @Override
    public String host() {
        return host;
    }

    @Override
    public int port() {
        return port;
    }

    @Override
    public HealthCheck check() {
        return check;
    }

    @Override
    public boolean isHealthy() {
        return healthy;
    }

    @Override
    public void report(boolean healthy, String reason) {
        reports.add(healthy + " " + reason);
        this.healthy = healthy;
    }
}
