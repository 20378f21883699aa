package io.cairn.client.connection;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import org.jspecify.annotations.Nullable;

/** A failed attempt to connect: the address, the phase that the attempt reached, and what to check. */
public final class ConnectFailure extends CairnException {

    private final ServerAddress address;
    private final Phase phase;

    public ConnectFailure(ServerAddress address, Phase phase, String why, @Nullable Throwable cause) {
        super(ErrorCode.UNAVAILABLE, text(address, phase, why), cause);
        this.address = address;
        this.phase = phase;
    }

    private static String text(ServerAddress address, Phase phase, String why) {
        String where = phase == Phase.AUTH || phase == Phase.HTTP
                ? address.httpAddress()
                : address.hostText() + ':' + address.grpcPort();
        return where + ": " + phase.words() + " failed: " + why + hint(address, phase);
    }

    private static String hint(ServerAddress address, Phase phase) {
        return switch (phase) {
            case DNS -> "; check the name, or the resolver of this machine";
            case TCP ->
                "; clients connect to port " + address.grpcPort() + ", that is the configured port " + address.port()
                        + " + " + (address.grpcPort() - address.port())
                        + ": check that the server runs and that no firewall, container or load balancer blocks that port";
            case TLS -> "; check that the server speaks TLS on this port, and that its certificate is trusted here";
            case HTTP2 ->
                "; what listens there does not answer as a gRPC server without such TLS settings does: check that"
                        + " the HTTP port is configured (not the gRPC port), and the TLS settings of both sides";
            case SETUP -> "; the server is starting or stopping, or at its limit of connections: see its log";
            case HTTP ->
                "; clients with a user name log in there first: check that the server runs, that this is its HTTP port,"
                        + " and that nothing blocks it"
                        + (address.secure()
                                ? "; if that port speaks no TLS, say so with http:// before the address"
                                : "");
            case AUTH -> "; check user name and password";
        };
    }

    public ServerAddress address() {
        return address;
    }

    public Phase phase() {
        return phase;
    }
}
