package io.cairn.server.compatibility;

import java.io.IOException;

/** Signals to processes. */
final class Signals {

    private Signals() {}

    /** @param name such as STOP */
    static void send(String name, long pid) throws IOException, InterruptedException {
        int status = new ProcessBuilder("kill", "-" + name, Long.toString(pid))
                .inheritIO()
                .start()
                .waitFor();
        if (status != 0) {
            throw new IOException("kill -" + name + " ended with the status " + status);
        }
    }
}
