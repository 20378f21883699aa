package io.cairn.server.envoy;

import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import io.netty.util.NetUtil;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

final class TextRules {

    private static final int MAX_SHOWN = 60;
    private static final Map<String, Pattern> PATTERNS = new ConcurrentHashMap<>();

    private static final Pattern HEADER_NAME = Pattern.compile(":?[0-9a-zA-Z!#$%&'*+.^_|~`-]+");
    private static final Pattern HEADER_VALUE = Pattern.compile("[^\\x00-\\x08\\x0A-\\x1F\\x7F]*");
    private static final Pattern NOT_STRICT = Pattern.compile("[^\\x00\\x0A\\x0D]*");
    private static final String LABEL = "[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?";
    private static final Pattern HOST_NAME = Pattern.compile("(?=.{1,253}$)" + LABEL + "(\\." + LABEL + ")*\\.?");
    private static final Pattern E_MAIL = Pattern.compile("[^@\\s]+@[^@\\s]+");
    private static final Pattern UUID = Pattern.compile("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}");

    private TextRules() {}

    static @Nullable String problem(String text, Message rule) {
        for (Map.Entry<FieldDescriptor, Object> entry : rule.getAllFields().entrySet()) {
            String expected = expected(text, entry.getKey().getName(), entry.getValue(), rule);
            if (expected != null) {
                return (text.isEmpty() ? "is empty" : "'" + cut(text) + "'") + " (expected: " + expected + ")";
            }
        }
        return null;
    }

    private static @Nullable String expected(String text, String name, Object limit, Message rule) {
        return switch (name) {
            case "const" -> text.equals(limit) ? null : "'" + limit + "'";
            case "len" -> characters(text) == (Long) limit ? null : limit + " characters";
            case "min_len" -> characters(text) >= (Long) limit ? null : atLeast((Long) limit, "character");
            case "max_len" -> characters(text) <= (Long) limit ? null : "at most " + limit + " characters";
            case "len_bytes" -> bytes(text) == (Long) limit ? null : limit + " bytes";
            case "min_bytes" -> bytes(text) >= (Long) limit ? null : atLeast((Long) limit, "byte");
            case "max_bytes" -> bytes(text) <= (Long) limit ? null : "at most " + limit + " bytes";
            case "pattern" -> matches(text, (String) limit) ? null : "as " + limit;
            case "prefix" -> text.startsWith((String) limit) ? null : "a text that begins with '" + limit + "'";
            case "suffix" -> text.endsWith((String) limit) ? null : "a text that ends with '" + limit + "'";
            case "contains" -> text.contains((String) limit) ? null : "a text that contains '" + limit + "'";
            case "not_contains" -> text.contains((String) limit) ? "a text without '" + limit + "'" : null;
            case "in" -> ((List<?>) limit).contains(text) ? null : "one of " + limit;
            case "not_in" -> ((List<?>) limit).contains(text) ? "none of " + limit : null;
            case "email" -> E_MAIL.matcher(text).matches() ? null : "an e-mail address";
            case "hostname" -> HOST_NAME.matcher(text).matches() ? null : "a host name";
            case "ip" -> isAddress(text) ? null : "an IP address";
            case "ipv4" -> NetUtil.isValidIpV4Address(text) ? null : "an IPv4 address";
            case "ipv6" -> NetUtil.isValidIpV6Address(text) ? null : "an IPv6 address";
            case "address" ->
                isAddress(text) || HOST_NAME.matcher(text).matches() ? null : "an IP address or a host name";
            case "uri" -> isUri(text, true) ? null : "a URI with a scheme";
            case "uri_ref" -> isUri(text, false) ? null : "a URI";
            case "uuid" -> UUID.matcher(text).matches() ? null : "a UUID";
            case "well_known_regex" -> header(text, (EnumValueDescriptor) limit, rule);
            default -> null;
        };
    }

    private static @Nullable String header(String text, EnumValueDescriptor kind, Message rule) {
        boolean isStrict = ValueRules.flag(rule, "strict");
        return switch (kind.getName()) {
            case "HTTP_HEADER_NAME" ->
                (isStrict ? HEADER_NAME : NOT_STRICT).matcher(text).matches() ? null : "the name of an HTTP header";
            case "HTTP_HEADER_VALUE" ->
                (isStrict ? HEADER_VALUE : NOT_STRICT).matcher(text).matches() ? null : "the value of an HTTP header";
            default -> null;
        };
    }

    private static String atLeast(long count, String unit) {
        return "at least " + count + " " + unit + (count == 1 ? "" : "s");
    }

    private static int characters(String text) {
        return text.codePointCount(0, text.length());
    }

    private static int bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }

    private static boolean matches(String text, String pattern) {
        return PATTERNS.computeIfAbsent(pattern, Pattern::compile).matcher(text).find();
    }

    private static boolean isAddress(String text) {
        return NetUtil.isValidIpV4Address(text) || NetUtil.isValidIpV6Address(text);
    }

    private static boolean isUri(String text, boolean isAbsolute) {
        try {
            URI uri = new URI(text);
            return uri.isAbsolute() || !isAbsolute;
        } catch (URISyntaxException e) {
            return false;
        }
    }

    private static String cut(String text) {
        return text.length() > MAX_SHOWN ? text.substring(0, MAX_SHOWN) + "…" : text;
    }
}
