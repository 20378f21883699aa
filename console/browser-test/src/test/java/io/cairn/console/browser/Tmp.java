package io.cairn.console.browser;

import java.nio.file.*;
import java.util.*;

final class Tmp {
    static long last;
    static final Map<String, long[]> sums = new TreeMap<>();

    static long ticks() {
        long sum = 0;
        try (var d = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
            for (Path p : d) {
                try {
                    String s = Files.readString(p.resolve("stat"));
                    if (!s.contains("(chrom") && !s.contains("(Chrom") && !s.contains("(headless")) continue;
                    String[] f = s.substring(s.lastIndexOf(')') + 2).split(" ");
                    sum += Long.parseLong(f[11]) + Long.parseLong(f[12]);
                } catch (Exception e) {
                }
            }
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
        return sum * 10;
    }

    static void run(String name, Runnable r) {
        long t = System.nanoTime(), c = ticks();
        r.run();
        long[] a = sums.computeIfAbsent(name, n -> new long[3]);
        a[0]++;
        a[1] += ticks() - c;
        a[2] += (System.nanoTime() - t) / 1000000;
    }

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            StringBuilder b = new StringBuilder();
            sums.forEach((k, v) -> b.append(k + " n=" + v[0] + " cpu=" + v[1] + " ms clock=" + v[2] + "\n"));
            b.append("last ticks " + last + "\n");
            try {
                Files.writeString(Path.of("/tmp/p40/browser.txt"), b.toString());
            } catch (Exception e) {
            }
        }));
    }
}
