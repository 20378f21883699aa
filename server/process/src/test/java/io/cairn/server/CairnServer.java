package io.cairn.server;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;

/** Stands in for the packed server: the same arguments and the same files, and next to nothing else. */
public final class CairnServer {

    private CairnServer() {}

    /** Listens on both ports until it is killed. */
    public static void main(String... arguments) throws IOException {
        System.out.println("started with " + Arrays.toString(arguments));
        if (Arrays.asList(arguments).contains("--fake.dies")) {
            System.out.println("something broke");
            System.exit(3);
        }
        if (Arrays.asList(arguments).contains("--train")) {
            return;
        }
        int port = Integer.parseInt(arguments[0].replaceFirst("--server\\.port=", ""));
        try {
            HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0)
                    .start();
            var grpc = new ServerSocket();
            grpc.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port + 1000));
        } catch (BindException e) {
            write("failed\nport " + port + " is in use\n");
            System.exit(1);
        }
        if (Arrays.asList(arguments).contains("--fake.silent")) {
            return; // serves, and never says so
        }
        write("ready\nHTTP  http://127.0.0.1:" + port + "/nacos\n");
    }

    private static void write(String status) throws IOException {
        Path file = Path.of(System.getProperty("cairn.status-file"));
        Path temporary = Files.writeString(file.resolveSibling("status.tmp"), status);
        Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
    }
}
