package io.cairn.server.auth.directory;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.regex.Pattern;
import javax.naming.AuthenticationException;
import javax.naming.AuthenticationNotSupportedException;
import javax.naming.NamingException;
import javax.naming.NoPermissionException;
import javax.naming.OperationNotSupportedException;
import javax.naming.ReferralException;

/** Words for what JNDI reports. */
final class LdapFailures {

    private static final Pattern CONTROL = Pattern.compile("\\p{Cntrl}");
    private static final int MAX_LENGTH = 400;
    /** Of an entry without a password. */
    private static final String INAPPROPRIATE = "error code 48";

    /** Said by JNDI also when a read has timed out. */
    private static final String CLOSED = "LDAP connection has been closed";

    private static final String CERTIFICATE = "PKIX path building failed";

    private LdapFailures() {}

    /** Whether the directory refuses a user's bind, instead of failing. */
    static boolean isRefusal(NamingException failure) {
        return failure instanceof AuthenticationException
                || failure instanceof NoPermissionException
                || failure instanceof OperationNotSupportedException
                || failure instanceof ReferralException
                || failure instanceof AuthenticationNotSupportedException
                        && String.valueOf(failure.getMessage()).contains(INAPPROPRIATE);
    }

    /** The messages of a failure and its causes, in one line. */
    static String text(Throwable failure) {
        Set<String> texts = new LinkedHashSet<>();
        Throwable cause = failure;
        while (cause != null && texts.size() < 4) {
            String text = cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
            if (texts.stream().noneMatch(known -> known.contains(text))) {
                texts.add(text);
            }
            cause = cause.getCause();
        }
        String all = CONTROL.matcher(String.join(": ", texts)).replaceAll(" ").trim();
        String cut = all.length() <= MAX_LENGTH ? all : all.substring(0, MAX_LENGTH) + "...";
        if (all.contains(CLOSED)) {
            return cut + " (by the server, or because no answer came in time)";
        }
        return all.contains(CERTIFICATE)
                ? cut + " (expected: a certificate of an authority in cairn.auth.ldap.trusted-certificates)"
                : cut;
    }
}
