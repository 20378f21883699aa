package io.cairn.cli;

import static io.cairn.cli.DoctorCommand.Finding.fail;
import static io.cairn.cli.DoctorCommand.Finding.ok;
import static io.cairn.cli.DoctorCommand.Finding.warn;

import io.cairn.cli.DoctorCommand.Finding;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.UnknownHostException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

final class ServerChecks {

    private static final Duration CLOCK_TOLERANCE = Duration.ofSeconds(5);
    private static final byte[] HTTP2_PREFACE =
            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0".getBytes(StandardCharsets.US_ASCII);
    private static final int SETTINGS_FRAME = 4;

    private final Cairn cairn;
    private final Api anonymous;

    ServerChecks(Cairn cairn) {
        this.cairn = cairn;
        this.anonymous = cairn.anonymous();
    }

    /** Adds the results; returns whether the server answers. */
    boolean run(List<Finding> findings) {
        Instant asked = Instant.now();
        HttpResponse<String> alive;
        try {
            alive = get("/v3/admin/core/state/liveness");
            Api.data(alive);
            findings.add(ok("server", cairn.base() + ", version " + version()));
        } catch (Failure e) {
            findings.add(fail("server", String.valueOf(e.getMessage()), "bin/startup.sh, or --server"));
            return false;
        }
        findings.add(clock(alive, asked));
        findings.add(readiness());
        findings.add(writes());
        findings.add(health());
        findings.add(grpc());
        security(findings);
        return true;
    }

    private HttpResponse<String> get(String path) {
        return anonymous.send(anonymous.request(path, Map.of()).GET());
    }

    private String version() {
        return Json.text(Api.data(get("/v3/admin/core/state")), "version");
    }

    /** In seconds, as in the header. */
    private static Finding clock(HttpResponse<String> answer, Instant asked) {
        String date = answer.headers().firstValue("Date").orElse("");
        try {
            Instant there = ZonedDateTime.parse(date, DateTimeFormatter.RFC_1123_DATE_TIME)
                    .toInstant();
            Duration late = Duration.between(there, asked);
            Duration off = late.isNegative() ? Duration.between(Instant.now(), there) : late;
            return off.compareTo(CLOCK_TOLERANCE) > 0
                    ? warn(
                            "clock",
                            "the server's differs by " + off.toSeconds() + " s from this machine's",
                            "let both follow a time server; tokens and histories go by it")
                    : ok("clock", "as here");
        } catch (DateTimeParseException e) {
            return warn("clock", "the server tells no time", "see what stands between it and here");
        }
    }

    private Finding readiness() {
        HttpResponse<String> answer = get("/v3/admin/core/state/readiness");
        return answer.statusCode() == 200
                ? ok("reads", "served")
                : fail("reads", String.valueOf(Api.refused(answer).getMessage()), "see docs/guide/troubleshooting.md");
    }

    /** Writes show whether the database is away: it refuses them then. */
    private Finding writes() {
        HttpResponse<String> answer = get("/actuator/health/writes");
        if (answer.statusCode() == 200) {
            return ok("database", "writes are taken; its schema was brought up to date by the start");
        }
        String cause = answer.body().startsWith("{") ? Json.text(Json.read(answer.body()), "cause") : "";
        return fail(
                "database",
                "writes are not taken" + (cause.isEmpty() ? "" : ": " + cause),
                "remove that cause; the server notices by itself");
    }

    private Finding health() {
        HttpResponse<String> answer = get("/actuator/health");
        String body = answer.body().strip();
        String status = body.startsWith("{") ? Json.text(Json.read(body), "status") : "";
        String said = status.isEmpty() ? "status " + answer.statusCode() : status;
        if (answer.statusCode() == 200 && status.equals("UP")) {
            return ok("health", said);
        }
        // An installation may not expose it, or require a login.
        return answer.statusCode() == 401 || answer.statusCode() == 403 || answer.statusCode() == 404
                ? warn("health", "/actuator/health is not shown: " + said, "log in as an administrator, or expose it")
                : fail("health", "/actuator/health: " + said, "see the other lines, and logs/cairn.log");
    }

    private Finding grpc() {
        URI server = URI.create(cairn.base());
        int httpPort =
                server.getPort() > 0 ? server.getPort() : server.getScheme().equals("https") ? 443 : 80;
        int port = httpPort + 1000;
        String todo = "open it beside " + httpPort + ": clients from 2.0 on speak gRPC at the HTTP port + 1000";
        boolean encrypted = server.getScheme().equals("https");
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(server.getHost(), port), (int)
                    cairn.timeout().toMillis());
            socket.setSoTimeout((int) cairn.timeout().toMillis());
            Socket spoken = encrypted ? encrypted(socket, server.getHost(), port) : socket;
            spoken.getOutputStream().write(HTTP2_PREFACE);
            InputStream in = spoken.getInputStream();
            byte[] frame = in.readNBytes(9);
            return frame.length == 9 && frame[3] == SETTINGS_FRAME
                    ? ok("grpc", "port " + port + " answers" + (encrypted ? " over TLS" : ""))
                    : warn(
                            "grpc",
                            "port " + port + " is open, but does not speak " + (encrypted ? "" : "plain ") + "HTTP/2",
                            encrypted ? todo : "TLS alone, or " + todo);
        } catch (IOException e) {
            return fail("grpc", "port " + port + ": " + e.getMessage(), todo);
        }
    }

    private Socket encrypted(Socket socket, String host, int port) throws IOException {
        SSLContext trusted = cairn.trust();
        SSLSocketFactory factory =
                trusted == null ? (SSLSocketFactory) SSLSocketFactory.getDefault() : trusted.getSocketFactory();
        SSLSocket secure = (SSLSocket) factory.createSocket(socket, host, port, true);
        SSLParameters parameters = secure.getSSLParameters();
        parameters.setApplicationProtocols(new String[] {"h2"});
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        secure.setSSLParameters(parameters);
        secure.startHandshake();
        return secure;
    }

    private void security(List<Finding> findings) {
        URI server = URI.create(cairn.base());
        boolean isRemote = !isLoopback(server.getHost());
        if (isRemote && server.getScheme().equals("http")) {
            findings.add(
                    warn("tls", "passwords and tokens travel in the open", "use https; see docs/guide/security.md"));
        }
        Object access;
        try {
            access = Api.data(get("/v3/auth/access"));
        } catch (Failure e) {
            findings.add(ok("login", "asked for"));
            ownAccess(findings);
            return;
        }
        if (Json.text(access, "kind").equals("unchecked")) {
            findings.add(
                    isRemote
                            ? fail(
                                    "login",
                                    "everybody who reaches this address may do everything",
                                    "set nacos.core.auth.enabled=true, and remove cairn.auth.allow-anonymous-network")
                            : ok("login", "not asked for: everybody on this machine may do everything"));
        }
    }

    private void ownAccess(List<Finding> findings) {
        try {
            Object access = Api.data(cairn.api()
                    .send(cairn.api().request("/v3/auth/access", Map.of()).GET()));
            if ("true".equals(Json.text(access, "mustChangePassword"))) {
                findings.add(warn(
                        "password",
                        Json.text(access, "username") + " still has the password of the first start",
                        "cairn user password " + Json.text(access, "username")));
            } else {
                findings.add(ok("password", "logged in as " + Json.text(access, "username")));
            }
        } catch (Failure e) {
            findings.add(warn("password", "not logged in: " + e.getMessage(), "say who you are"));
        }
    }

    private static boolean isLoopback(String host) {
        try {
            return InetAddress.getByName(host).isLoopbackAddress();
        } catch (UnknownHostException e) {
            return false;
        }
    }
}
