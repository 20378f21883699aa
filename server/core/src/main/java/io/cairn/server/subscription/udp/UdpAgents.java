package io.cairn.server.subscription.udp;

import io.cairn.server.naming.switches.Switches;
import io.cairn.server.sdk.Sdk;
import org.jspecify.annotations.Nullable;

/** Clients with UDP pushes, by {@code User-Agent}: a name, a colon and a version. */
final class UdpAgents {

    private UdpAgents() {}

    static boolean takesPushes(@Nullable String userAgent, Switches switches) {
        Sdk sdk = Sdk.of(userAgent);
        if (sdk.alwaysTakesUdpPushes()) {
            return true;
        }
        String language = sdk.udpLanguage();
        if (language == null) {
            return false;
        }
        String from = switches.pushVersion(language);
        return from == null || compare(sdk.version(), from) >= 0;
    }

    /** Compares the first three numbers, without a letter before them. */
    static int compare(String one, String other) {
        int[] left = numbers(one);
        int[] right = numbers(other);
        for (int i = 0; i < left.length; i++) {
            if (left[i] != right[i]) {
                return Integer.compare(left[i], right[i]);
            }
        }
        return 0;
    }

    private static int[] numbers(String version) {
        int[] numbers = new int[3];
        int at = 0;
        boolean inNumber = false;
        for (int i = 0; i < version.length() && at < numbers.length; i++) {
            char c = version.charAt(i);
            if (c >= '0' && c <= '9') {
                // No version has a part of a million.
                numbers[at] = Math.min(numbers[at] * 10 + (c - '0'), 1_000_000);
                inNumber = true;
            } else if (inNumber) {
                if (c != '.') {
                    break;
                }
                at++;
                inNumber = false;
            }
        }
        return numbers;
    }
}
