package io.cairn.server.naming.health;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A server on a free port of the loopback address that runs its script for every connection, each on its own thread.
 */
final class ScriptedServer implements AutoCloseable {

    /** Handles one connection, which is closed afterwards. */
    @FunctionalInterface
    interface Script {
        void run(Connection connection) throws IOException, InterruptedException;
    }

    private final ServerSocket listener;
    private final Script script;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final CountDownLatch closed = new CountDownLatch(1);
    private final List<String> requests = new CopyOnWriteArrayList<>();

    ScriptedServer(Script script) {
        this.script = script;
        try {
            listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        start(this::accept);
    }

    /** Reads the head of a request, sends that text, and closes the connection. */
    static ScriptedServer answering(String answer) {
        return new ScriptedServer(connection -> {
            connection.readHead();
            connection.send(answer);
        });
    }

    /** Accepts connections and sends nothing. */
    static ScriptedServer silent() {
        return new ScriptedServer(Connection::awaitEnd);
    }

    private static void start(Runnable task) {
        Thread thread = new Thread(task, "scripted-server");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        while (closed.getCount() > 0) {
            try {
                Socket socket = listener.accept();
                open.add(socket);
                start(() -> serve(socket));
            } catch (IOException e) {
                return;
            }
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            script.run(new Connection(socket));
        } catch (IOException e) {
            // The other side has closed the connection.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            open.remove(socket);
        }
    }

    int port() {
        return listener.getLocalPort();
    }

    /** The request heads that were read, one for each connection. */
    List<String> requests() {
        return requests;
    }

    /** Number of open connections. */
    int open() {
        return open.size();
    }

    @Override
    public void close() {
        closed.countDown();
        try {
            listener.close();
            for (Socket socket : open) {
                socket.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The server's end of a connection. */
    final class Connection {

        private final Socket socket;

        private Connection(Socket socket) {
            this.socket = socket;
        }

        void readHead() throws IOException {
            BufferedReader lines =
                    new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
            StringBuilder head = new StringBuilder();
            for (String line = lines.readLine(); line != null && !line.isEmpty(); line = lines.readLine()) {
                head.append(line).append('\n');
            }
            requests.add(head.toString());
        }

        void send(String text) throws IOException {
            OutputStream out = socket.getOutputStream();
            out.write(text.getBytes(StandardCharsets.ISO_8859_1));
            out.flush();
        }

        /** Waits until the other side closes the connection. */
        void awaitEnd() throws IOException {
            while (socket.getInputStream().read() >= 0) {
                // The received bytes are ignored.
            }
        }

        /** A pause between parts of a response; ends early when the server is closed. */
        void pause(long millis) throws InterruptedException {
            if (closed.await(millis, TimeUnit.MILLISECONDS)) {
                throw new InterruptedException("the server is closed");
            }
        }
    }
}
