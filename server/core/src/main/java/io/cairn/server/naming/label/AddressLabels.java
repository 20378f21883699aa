package io.cairn.server.naming.label;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.wire.JsonInput;
import io.cairn.api.wire.MalformedMessageException;
import io.netty.util.NetUtil;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.TokenStreamLocation;

/** Labels by address, subnet and host name. An address has the labels of all enclosing subnets; the smallest one's value applies. */
public final class AddressLabels {

    public static final AddressLabels NONE = new AddressLabels(Map.of(), Map.of());

    private static final int MAX_ENTRIES = 100_000;
    private static final int MAX_NAME = 255;
    private static final int IPV4_BITS = 32;
    private static final int IPV6_BITS = 128;

    /** Letters, digits and dashes between dots; a numeric last part would be a malformed address. */
    private static final Pattern NAME = Pattern.compile("([\\p{L}\\p{N}_-]+\\.)*[\\p{N}_-]*\\p{L}[\\p{L}\\p{N}_-]*");

    /** Includes the labels of larger enclosing subnets. */
    private final Map<Subnet, Map<String, String>> subnets;

    private final Map<String, Map<String, String>> names;
    /** Present prefix lengths, longest first. */
    private final List<Integer> lengthsOf4;

    private final List<Integer> lengthsOf6;

    /**
     * The first bits of addresses; the others are 0.
     *
     * @param length of the prefix
     */
    private record Subnet(boolean isIpv4, long high, long low, int length) {

        /** The address's subnet; null for other texts. */
        static @Nullable Subnet of(String address) {
            byte[] bytes = NetUtil.createByteArrayFromIpAddressString(address);
            if (bytes == null) {
                return null;
            }
            if (bytes.length == 4) {
                return ofIpv4(bytes, 0);
            }
            long high = number(bytes, 0, 8);
            long low = number(bytes, 8, 8);
            boolean isMapped = high == 0 && low >>> IPV4_BITS == 0xffff;
            return isMapped ? ofIpv4(bytes, 12) : new Subnet(false, high, low, IPV6_BITS);
        }

        private static Subnet ofIpv4(byte[] bytes, int from) {
            return new Subnet(true, number(bytes, from, 4) << IPV4_BITS, 0, IPV4_BITS);
        }

        private static long number(byte[] bytes, int from, int count) {
            long number = 0;
            for (int i = from; i < from + count; i++) {
                number = number << 8 | bytes[i] & 0xff;
            }
            return number;
        }

        Subnet shortened(int to) {
            return new Subnet(isIpv4, high & mask(to), low & mask(to - 64), to);
        }

        private static long mask(int bits) {
            return bits <= 0 ? 0 : bits >= 64 ? -1 : -1L << 64 - bits;
        }
    }

    private AddressLabels(Map<Subnet, Map<String, String>> subnets, Map<String, Map<String, String>> names) {
        this.subnets = subnets;
        this.names = names;
        this.lengthsOf4 = lengths(subnets, true);
        this.lengthsOf6 = lengths(subnets, false);
    }

    private static List<Integer> lengths(Map<Subnet, Map<String, String>> subnets, boolean ofIpv4) {
        TreeSet<Integer> lengths = new TreeSet<>(Comparator.reverseOrder());
        for (Subnet subnet : subnets.keySet()) {
            if (subnet.isIpv4() == ofIpv4) {
                lengths.add(subnet.length());
            }
        }
        return List.copyOf(lengths);
    }

    /**
     * Reads {@code {"10.1.0.0/16": {"site": "north"}, "10.1.2.3": {"rack": "r7"}}}.
     *
     * @throws CairnException {@code INVALID_PARAMETER} with entry and problem
     */
    public static AddressLabels read(String json) {
        Map<Subnet, Map<String, String>> subnets = new HashMap<>();
        Map<String, Map<String, String>> names = new HashMap<>();
        try {
            return JsonInput.read(json, in -> {
                for (String entry = in.nextField(); entry != null; entry = in.nextField()) {
                    Map<String, String> labels = labels(entry, in);
                    Subnet subnet = subnet(entry);
                    boolean isTwice = subnet == null
                            ? names.put(entry.toLowerCase(Locale.ROOT), Map.copyOf(labels)) != null
                            : subnets.put(subnet, labels) != null;
                    if (isTwice) {
                        throw refused(entry, "is there twice");
                    }
                    if (subnets.size() + names.size() > MAX_ENTRIES) {
                        throw refused(
                                entry,
                                "is one more than " + MAX_ENTRIES + " (expected: subnets rather than addresses)");
                    }
                }
                return new AddressLabels(withEnclosing(subnets), names);
            });
        } catch (MalformedMessageException e) {
            throw new CairnException(ErrorCode.INVALID_PARAMETER, where(e) + e.getMessage(), e);
        }
    }

    private static Map<String, String> labels(String entry, JsonInput in) {
        Map<String, String> labels;
        try {
            labels = in.texts();
        } catch (MalformedMessageException e) {
            throw refused(entry, e.getMessage() + " (expected: labels, as in {\"site\": \"north\"})");
        }
        if (labels == null) {
            throw refused(entry, "null (expected: labels, as in {\"site\": \"north\"})");
        }
        labels.forEach((name, value) -> {
            if (name.isBlank() || name.chars().anyMatch(Character::isWhitespace)) {
                throw refused(entry, "'" + name + "' is no name of a label (expected: no spaces)");
            }
            if (value.isBlank()) {
                throw refused(entry, "the label " + name + " is empty");
            }
        });
        return labels;
    }

    private static String where(MalformedMessageException failure) {
        TokenStreamLocation location = failure.getCause() instanceof JacksonException e ? e.getLocation() : null;
        return location == null ? "" : "line " + location.getLineNr() + ", column " + location.getColumnNr() + ": ";
    }

    /** Null for a host name. */
    private static @Nullable Subnet subnet(String entry) {
        int slash = entry.indexOf('/');
        Subnet address = Subnet.of(slash < 0 ? entry : entry.substring(0, slash));
        if (address == null) {
            if (slash >= 0) {
                throw refused(entry, "is no subnet (expected: as 10.1.0.0/16)");
            }
            if (entry.length() > MAX_NAME || !NAME.matcher(entry).matches()) {
                throw refused(entry, "is neither an address nor the name of a host");
            }
            return null;
        }
        if (slash < 0) {
            return address;
        }
        Subnet subnet = address.shortened(length(entry, slash, address.isIpv4() ? IPV4_BITS : IPV6_BITS));
        if (subnet.high() != address.high() || subnet.low() != address.low()) {
            throw refused(entry, "the address has bits set after the first " + subnet.length());
        }
        return subnet;
    }

    private static int length(String entry, int slash, int max) {
        try {
            int length = Integer.parseInt(entry.substring(slash + 1));
            if (length >= 0 && length <= max) {
                return length;
            }
        } catch (NumberFormatException e) {
            // Reported below, with numbers out of range.
        }
        throw refused(entry, "after the slash: " + entry.substring(slash + 1) + " (expected: 0-" + max + ")");
    }

    private static Map<Subnet, Map<String, String>> withEnclosing(Map<Subnet, Map<String, String>> given) {
        List<Subnet> largestFirst = new ArrayList<>(given.keySet());
        largestFirst.sort(Comparator.comparingInt(Subnet::length));
        Map<Subnet, Map<String, String>> all = new HashMap<>(given.size() * 2);
        List<Integer> lengthsOf4 = lengths(given, true);
        List<Integer> lengthsOf6 = lengths(given, false);
        for (Subnet subnet : largestFirst) {
            Map<String, String> labels = new HashMap<>(around(subnet, subnet.isIpv4() ? lengthsOf4 : lengthsOf6, all));
            labels.putAll(given.getOrDefault(subnet, Map.of()));
            all.put(subnet, Map.copyOf(labels));
        }
        return all;
    }

    private static CairnException refused(String entry, String what) {
        return new CairnException(ErrorCode.INVALID_PARAMETER, "'" + entry + "': " + what);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof AddressLabels labels && subnets.equals(labels.subnets) && names.equals(labels.names);
    }

    @Override
    public int hashCode() {
        return 31 * subnets.hashCode() + names.hashCode();
    }

    public boolean isEmpty() {
        return subnets.isEmpty() && names.isEmpty();
    }

    /** Counts addresses, subnets and names. */
    public int size() {
        return subnets.size() + names.size();
    }

    /** @param address IP address or host name; names are not resolved */
    public Map<String, String> of(String address) {
        Subnet subnet = Subnet.of(address);
        return subnet == null
                ? names.getOrDefault(address.toLowerCase(Locale.ROOT), Map.of())
                : around(subnet, subnet.isIpv4() ? lengthsOf4 : lengthsOf6, subnets);
    }

    /** The labels of the smallest enclosing subnet. */
    private static Map<String, String> around(
            Subnet address, List<Integer> longestFirst, Map<Subnet, Map<String, String>> known) {
        for (int length : longestFirst) {
            Map<String, String> labels = length > address.length() ? null : known.get(address.shortened(length));
            if (labels != null) {
                return labels;
            }
        }
        return Map.of();
    }
}
