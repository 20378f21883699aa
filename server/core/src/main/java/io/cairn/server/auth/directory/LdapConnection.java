package io.cairn.server.auth.directory;

import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Hashtable;
import java.util.List;
import java.util.function.LongSupplier;
import javax.naming.Context;
import javax.naming.NamingEnumeration;
import javax.naming.NamingException;
import javax.naming.PartialResultException;
import javax.naming.ReferralException;
import javax.naming.SizeLimitExceededException;
import javax.naming.TimeLimitExceededException;
import javax.naming.directory.Attributes;
import javax.naming.directory.SearchControls;
import javax.naming.directory.SearchResult;
import javax.naming.ldap.InitialLdapContext;
import javax.naming.ldap.LdapContext;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.StartTlsRequest;
import javax.naming.ldap.StartTlsResponse;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** One connection to a server of a directory, for one login. Used by one thread; blocks, within the time limits. */
final class LdapConnection implements AutoCloseable {

    /** A read fails this much later than JNDI, which words the failure better. */
    private static final int LATER_MILLIS = 500;

    /** Attributes whose values are bytes. */
    private static final String BINARY = "objectGUID objectSid";

    private final LdapContext context;
    private final int readMillis;
    private final Deadline deadline;

    /** The end of all that a login does. */
    record Deadline(LongSupplier nanoTime, long endNanos, Duration limit) {

        static Deadline in(Duration limit, LongSupplier nanoTime) {
            return new Deadline(nanoTime, nanoTime.getAsLong() + limit.toNanos(), limit);
        }

        boolean isOver() {
            return nanoTime.getAsLong() - endNanos >= 0;
        }

        void check() throws NamingException {
            if (isOver()) {
                throw new TimeLimitExceededException("no result within " + limit.toSeconds() + " s");
            }
        }
    }

    /** @param dn as the directory writes it */
    record Entry(String dn, Attributes attributes) {

        /** The first value; null for an absent attribute. */
        @Nullable
        Object first(String attribute) throws NamingException {
            var found = attributes.get(attribute);
            return found == null || found.size() == 0 ? null : found.get(0);
        }

        /** The values that are texts. */
        List<String> texts(String attribute) throws NamingException {
            List<String> texts = new ArrayList<>();
            var found = attributes.get(attribute);
            for (int i = 0; found != null && i < found.size(); i++) {
                if (found.get(i) instanceof String text) {
                    texts.add(text);
                }
            }
            return texts;
        }
    }

    private LdapConnection(LdapContext context, int readMillis, Deadline deadline) {
        this.context = context;
        this.readMillis = readMillis;
        this.deadline = deadline;
    }

    /**
     * Connects, with the encryption of the settings.
     *
     * @param tls knows the trusted certificates
     * @throws IOException for a failed handshake of StartTLS
     */
    static LdapConnection open(URI server, DirectorySettings settings, SSLContext tls, Deadline deadline)
            throws NamingException, IOException {
        deadline.check();
        int readMillis = Math.toIntExact(settings.readTimeout().toMillis());
        boolean isPlain = DirectorySettings.isPlain(server);
        LdapSockets.expect(isPlain ? null : tls, readMillis + LATER_MILLIS);
        LdapConnection opened;
        try {
            opened = new LdapConnection(
                    new InitialLdapContext(environment(server, settings, readMillis), null), readMillis, deadline);
        } finally {
            LdapSockets.expectNone();
        }
        if (isPlain && settings.startTls()) {
            try {
                opened.encrypt(tls);
            } catch (NamingException | IOException | RuntimeException e) {
                opened.close();
                throw e;
            }
        }
        return opened;
    }

    /** JNDI takes a {@code Hashtable} alone. */
    @SuppressWarnings("JdkObsolete")
    private static Hashtable<String, Object> environment(URI server, DirectorySettings settings, int readMillis) {
        Hashtable<String, Object> environment = new Hashtable<>();
        environment.put(Context.INITIAL_CONTEXT_FACTORY, "com.sun.jndi.ldap.LdapCtxFactory");
        environment.put(Context.PROVIDER_URL, server.toString());
        environment.put(Context.SECURITY_AUTHENTICATION, "none");
        environment.put(Context.REFERRAL, "throw");
        environment.put("java.naming.ldap.version", "3");
        environment.put("java.naming.ldap.attributes.binary", BINARY);
        environment.put("java.naming.ldap.factory.socket", LdapSockets.class.getName());
        environment.put("com.sun.jndi.ldap.connect.pool", "false");
        environment.put(
                "com.sun.jndi.ldap.connect.timeout",
                Long.toString(settings.connectTimeout().toMillis()));
        environment.put("com.sun.jndi.ldap.read.timeout", Integer.toString(readMillis));
        return environment;
    }

    private void encrypt(SSLContext tls) throws NamingException, IOException {
        StartTlsResponse response = (StartTlsResponse) context.extendedOperation(new StartTlsRequest());
        response.negotiate(tls.getSocketFactory());
    }

    /**
     * Proves a password, and searches as that account from then on.
     *
     * @param password not empty: a bind without one succeeds and proves nothing
     */
    void bind(String name, String password) throws NamingException {
        deadline.check();
        if (name.isEmpty() || password.isEmpty()) {
            throw new IllegalArgumentException("a bind without a name or password proves nothing");
        }
        context.addToEnvironment(Context.SECURITY_AUTHENTICATION, "simple");
        context.addToEnvironment(Context.SECURITY_PRINCIPAL, name);
        context.addToEnvironment(Context.SECURITY_CREDENTIALS, password);
        context.reconnect(null);
    }

    /** Searches without an account from then on. */
    void bindAnonymously() throws NamingException {
        deadline.check();
        context.addToEnvironment(Context.SECURITY_AUTHENTICATION, "none");
        context.removeFromEnvironment(Context.SECURITY_PRINCIPAL);
        context.removeFromEnvironment(Context.SECURITY_CREDENTIALS);
        context.reconnect(null);
    }

    /**
     * Searches the whole tree below a base. References to other servers are not followed.
     *
     * @param filter with {@code {0}} and {@code {1}} for values, which are escaped
     * @param most entries
     */
    // Entries stay attributes: without the flag for objects, and with trustSerialData off, nothing is deserialised.
    @SuppressWarnings("BanJNDI")
    List<Entry> search(LdapName base, String filter, List<String> values, List<String> attributes, int most)
            throws NamingException {
        deadline.check();
        SearchControls controls = new SearchControls(
                SearchControls.SUBTREE_SCOPE, most, readMillis, attributes.toArray(String[]::new), false, false);
        List<Entry> found = new ArrayList<>();
        NamingEnumeration<SearchResult> results = null;
        try {
            results = context.search(base, filter, values.toArray(), controls);
            while (found.size() < most && results.hasMore()) {
                deadline.check();
                SearchResult result = results.next();
                found.add(new Entry(result.getNameInNamespace(), result.getAttributes()));
            }
        } catch (SizeLimitExceededException e) {
            // The caller sees that it has the most.
        } catch (ReferralException | PartialResultException e) {
            // A reference to another server.
        } finally {
            if (results != null) {
                results.close();
            }
        }
        return found;
    }

    /** Never fails. */
    @Override
    public void close() {
        try {
            context.close();
        } catch (NamingException e) {
            // The connection is gone.
        }
    }
}
