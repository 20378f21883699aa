package io.cairn.junit.processes;

import java.util.concurrent.TimeUnit;

/** A process that says that it runs, and does nothing until it is ended. */
final class Waiting {

    static final String UP = "up";

    private Waiting() {}

    public static void main(String[] arguments) throws InterruptedException {
        System.out.println(UP);
        TimeUnit.MINUTES.sleep(10);
    }
}
