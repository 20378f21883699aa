package io.cairn.benchmark.wire;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URLEncoder;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The login of HTTP v1, which every Nacos since 1.2 has. */
public final class LoginMessages {
    private static final Pattern TOKEN = Pattern.compile("\"accessToken\"\\s*:\\s*\"([^\"]+)\"");

    private LoginMessages() {}

    public static byte[] httpLogin(String host, String user, String password) {
        String form = "username=" + URLEncoder.encode(user, UTF_8) + "&password=" + URLEncoder.encode(password, UTF_8);
        return ("POST /nacos/v1/auth/login HTTP/1.1\r\nHost: " + host
                        + "\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: " + form.length()
                        + "\r\n\r\n" + form)
                .getBytes(US_ASCII);
    }

    /** The token in the answer to a login. */
    public static String token(String answer) {
        Matcher token = TOKEN.matcher(answer);
        if (!token.find()) {
            throw new IllegalStateException("the answer to a login has no accessToken");
        }
        return token.group(1);
    }
}
