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

/** A server on a free port of the loopback that treats every connection as its script says, a thread each. */
final class ScriptedServer implements AutoCloseable {

    /** What happens to one connection, which is closed afterwards. */
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

    /** Reads a request's head and says that, then hangs up. */
    static ScriptedServer answering(String answer) {
        return new ScriptedServer(connection -> {
            connection.readHead();
            connection.send(answer);
        });
    }

    /** Accepts, and then nothing. */
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
            // The other side has hung up.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            open.remove(socket);
        }
    }

    int port() {
        return listener.getLocalPort();
    }

    /** The heads that were read, one for each connection. */
    List<String> requests() {
        return requests;
    }

    /** Connections that are not at their end. */
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

        /** Until the other side hangs up. */
        void awaitEnd() throws IOException {
            while (socket.getInputStream().read() >= 0) {
                // What it says does not matter.
            }
        }

        /** For a pace; ends early when the server is closed. */
        void pause(long millis) throws InterruptedException {
            if (closed.await(millis, TimeUnit.MILLISECONDS)) {
                throw new InterruptedException("the server is closed");
            }
        }
    }
}
