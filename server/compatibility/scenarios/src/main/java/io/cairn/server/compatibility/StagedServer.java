package io.cairn.server.compatibility;

import io.cairn.server.process.CairnProcess;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** A server in the steps of the guide's page about logins in stages. */
final class StagedServer implements AutoCloseable {
    private static final Map<String, Object> ADMINISTRATION = Map.of("nacos.core.auth.admin.enabled", true);

    private final Path home;
    private final StagedAdministration administration = new StagedAdministration(this::address);
    private CairnProcess process;

    StagedServer(Path home) throws Exception {
        this.home = home;
        this.process = start(0, Map.of());
    }

    String address() {
        return process.serverAddress();
    }

    StagedAdministration administration() {
        return administration;
    }

    void closeAdministration() throws Exception {
        restart(ADMINISTRATION);
    }

    void rehearse() throws Exception {
        Map<String, Object> settings = new HashMap<>(ADMINISTRATION);
        settings.put("cairn.auth.rehearsal", true);
        restart(settings);
    }

    void closeAll() throws Exception {
        restart(Map.of("nacos.core.auth.enabled", true));
    }

    private void restart(Map<String, Object> settings) throws Exception {
        int port = process.httpPort();
        process.close();
        process = start(port, settings);
        administration.login(home);
    }

    private CairnProcess start(int port, Map<String, Object> settings) throws Exception {
        CairnProcess.Builder builder = CairnProcess.builder()
                .home(home)
                .setting("server.address", "127.0.0.1")
                .setting("cairn.naming.recovery-window", "60s");
        settings.forEach(builder::setting);
        return (port == 0 ? builder : builder.httpPort(port)).start();
    }

    @Override
    public void close() {
        process.close();
    }
}
