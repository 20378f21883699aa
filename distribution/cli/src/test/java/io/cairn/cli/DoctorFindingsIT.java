package io.cairn.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The words of {@code doctor} for findings that a test cannot have from a server at will. */
class DoctorFindingsIT {

    @Test
    void namesTheNodeThatHeldUpTheWritesOfTheOthers() throws Exception {
        assertThat(doctor(
                        "{\"kind\":\"WRITE_LOCK_HELD\",\"urgent\":false,\"subject\":\"10.0.0.2:8848\",\"groupName\":\"\","
                                + "\"detail\":\"It stopped inside a write: session 57\",\"used\":0,\"max\":0,"
                                + "\"nodes\":[\"10.0.0.1:8848\"]}"))
                .contains(
                        "node 10.0.0.2:8848 held up the writes of the other nodes: It stopped inside a write: session 57"
                                + " (reported by 10.0.0.1:8848) -> look at the log and the machine of that node");
    }

    @Test
    void namesADamagedDatabase() throws Exception {
        assertThat(doctor("{\"kind\":\"DATABASE_DAMAGED\",\"urgent\":true,\"subject\":\"database\",\"groupName\":\"\","
                        + "\"detail\":\"Database file /d/cairn.db is damaged\",\"used\":0,\"max\":0}"))
                .contains("a part of the stored data cannot be read: Database file /d/cairn.db is damaged"
                        + " -> see \"A damaged database file\"");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "CASE_IGNORED|0|names that differ in upper and lower case alone are refused: why -> see \"Upper and lower case\"",
                "LDAP_USERS|2|2 users of an LDAP directory cannot log in: why -> see \"Users of LDAP\"",
                "ISSUER_MISFIT|0|the issuer x: why -> see \"Findings\" in docs/guide/sign-in.md",
                "ISSUER_AWAY|0|the keys of the issuer x cannot be read: why -> bring the issuer back",
                "DIRECTORY_AWAY|0|the directory server x fails: why -> bring it back",
                "PERMISSIONS_WITHOUT_EFFECT|1|1 permission allows nothing: why -> add permissions that match"
            })
    void namesWhatADatabaseOfNacosHas(String kind, int used, String expected) throws Exception {
        assertThat(doctor("{\"kind\":\"" + kind
                        + "\",\"urgent\":false,\"subject\":\"x\",\"groupName\":\"\",\"detail\":\"why\"," + "\"used\":"
                        + used + ",\"max\":0}"))
                .contains(expected);
    }

    /** The output of the command when the server has that finding. */
    private static String doctor(String finding) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> answer(exchange, "{}"));
        server.createContext(
                "/nacos/v3/admin/core/process",
                exchange -> answer(
                        exchange,
                        "{\"javaVersion\":\"25\",\"javaHome\":\"/java\",\"pid\":7,\"dataFolder\":\"/data\","
                                + "\"diskFree\":1000000000000,\"openFiles\":9,\"maxOpenFiles\":0}"));
        server.createContext("/nacos/v3/admin/core/attention", exchange -> answer(exchange, "[" + finding + "]"));
        server.start();
        try {
            return CairnCommandIT.run(
                            Map.of(
                                    "CAIRN_SERVER",
                                    "127.0.0.1:" + server.getAddress().getPort()),
                            "y",
                            "doctor")
                    .out();
        } finally {
            server.stop(0);
        }
    }

    private static void answer(HttpExchange exchange, String data) throws IOException {
        byte[] bytes = ("{\"code\":0,\"message\":\"success\",\"data\":" + data + '}').getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(200, bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }
}
