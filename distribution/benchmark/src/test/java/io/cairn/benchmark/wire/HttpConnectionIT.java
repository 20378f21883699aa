package io.cairn.benchmark.wire;

import static io.cairn.testing.Patience.PATIENCE;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class HttpConnectionIT {
    private static final byte[] REQUEST = "GET / HTTP/1.1\r\n\r\n".getBytes(US_ASCII);

    @Test
    void joinsChunksAndReopensAClosedConnection() throws Exception {
        List<String> answers = List.of(
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n10;x=y\r\n0123456789abcdef\r\n0\r\n\r\n",
                "HTTP/1.1 200 OK\r\ncontent-length: 4\r\nConnection: close\r\n\r\nlast",
                "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
                "HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\nnone");
        try (var listener = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
                var transport = new Transport("test", 1)) {
            var server = new Thread(() -> serve(listener, answers));
            server.start();
            var connection = new HttpConnection(transport, (InetSocketAddress) listener.getLocalSocketAddress());
            assertThat(ask(connection)).isEqualTo("abc0123456789abcdef");
            assertThat(ask(connection)).isEqualTo("last");
            assertThat(ask(connection)).isEmpty();
            assertThatThrownBy(() -> ask(connection)).hasMessageContaining("HTTP 404: none");
            assertThat(connection.connects()).isEqualTo(2);
            connection.close().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            server.join(PATIENCE.toMillis());
        }
    }

    private static String ask(HttpConnection connection) throws Exception {
        return connection.ask(REQUEST).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    /** Answers in order, in two parts each, and closes a connection when an answer says so. */
    private static void serve(ServerSocket listener, List<String> answers) {
        int next = 0;
        while (next < answers.size()) {
            try (Socket socket = listener.accept()) {
                socket.setTcpNoDelay(true);
                InputStream in = socket.getInputStream();
                String answer = "";
                while (next < answers.size()
                        && !answer.contains("close")
                        && in.readNBytes(REQUEST.length).length == REQUEST.length) {
                    answer = answers.get(next++);
                    byte[] bytes = answer.getBytes(US_ASCII);
                    socket.getOutputStream().write(bytes, 0, 60 % bytes.length);
                    socket.getOutputStream().flush();
                    socket.getOutputStream().write(bytes, 60 % bytes.length, bytes.length - 60 % bytes.length);
                }
            } catch (IOException e) {
                return;
            }
        }
    }
}
