package io.cairn.testing;

import com.unboundid.ldap.listener.InMemoryDirectoryServer;
import com.unboundid.ldap.listener.InMemoryDirectoryServerConfig;
import com.unboundid.ldap.listener.InMemoryListenerConfig;
import com.unboundid.ldap.listener.interceptor.InMemoryInterceptedSearchRequest;
import com.unboundid.ldap.listener.interceptor.InMemoryInterceptedSimpleBindRequest;
import com.unboundid.ldap.listener.interceptor.InMemoryOperationInterceptor;
import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.Filter;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.RDN;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchResultReference;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldif.LDIFException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * An LDAP directory on loopback, in memory, with users below {@link #PEOPLE} and groups below {@link #GROUPS}. Tests let it hang, be
 * away, and refer to another server. Thread-safe.
 */
public final class TestDirectory implements AutoCloseable {

    public static final String BASE = "dc=example,dc=org";
    public static final String PEOPLE = "ou=people," + BASE;
    public static final String GROUPS = "ou=groups," + BASE;
    public static final String SEARCH_DN = "cn=cairn,dc=example,dc=org";
    public static final String SEARCH_PASSWORD = "the-password-of-the-search";

    /** The filter of Active Directory for members of groups in groups. */
    private static final String IN_CHAIN = "1.2.840.113556.1.4.1941";

    private static final String LISTENER = "ldap";

    private final InMemoryDirectoryServer server;
    private final boolean ldaps;
    private final int port = ReservedPorts.one();
    private final AtomicInteger binds = new AtomicInteger();
    private final AtomicInteger hanging = new AtomicInteger();
    private final ConcurrentHashMap<String, Integer> bindsOf = new ConcurrentHashMap<>();
    private final List<String> filters = new CopyOnWriteArrayList<>();
    private volatile CountDownLatch gate = new CountDownLatch(0);
    private volatile @Nullable String reference;

    /** Unencrypted. */
    public static TestDirectory start() {
        return new TestDirectory(null, false);
    }

    /** With StartTLS on request. */
    public static TestDirectory withStartTls(SSLContext server) {
        return new TestDirectory(server, false);
    }

    public static TestDirectory ldaps(SSLContext server) {
        return new TestDirectory(server, true);
    }

    private TestDirectory(@Nullable SSLContext tls, boolean ldaps) {
        this.ldaps = ldaps;
        try {
            InMemoryDirectoryServerConfig config = new InMemoryDirectoryServerConfig(BASE);
            config.setSchema(null);
            config.setListenerExceptionHandler(null);
            InetAddress loopback = InetAddress.getLoopbackAddress();
            config.setListenerConfigs(
                    ldaps && tls != null
                            ? InMemoryListenerConfig.createLDAPSConfig(
                                    LISTENER, loopback, port, tls.getServerSocketFactory(), tls.getSocketFactory())
                            : InMemoryListenerConfig.createLDAPConfig(
                                    LISTENER, loopback, port, tls == null ? null : tls.getSocketFactory()));
            config.addInMemoryOperationInterceptor(new Interceptor());
            config.addAdditionalBindCredentials(SEARCH_DN, SEARCH_PASSWORD);
            server = new InMemoryDirectoryServer(config);
            server.add("dn: " + BASE, "objectClass: domain", "dc: example");
            server.add("dn: " + PEOPLE, "objectClass: organizationalUnit", "ou: people");
            server.add("dn: " + GROUPS, "objectClass: organizationalUnit", "ou: groups");
            server.startListening();
        } catch (LDAPException | LDIFException e) {
            throw new IllegalStateException(e);
        }
    }

    public String url() {
        return (ldaps ? "ldaps" : "ldap") + "://127.0.0.1:" + port;
    }

    /** A user {@code uid=name,ou=people} with more attributes as name and value in turn; returns its DN. */
    public String user(String name, String password, String... more) {
        return person(new RDN("uid", name) + "," + PEOPLE, name, password, more);
    }

    /** A user with a DN of its own. */
    public String person(String dn, String name, String password, String... more) {
        List<Attribute> attributes = new ArrayList<>(List.of(
                new Attribute("objectClass", "inetOrgPerson"),
                new Attribute("uid", name),
                new Attribute("userPassword", password)));
        for (int i = 0; i < more.length; i += 2) {
            attributes.add(new Attribute(more[i], more[i + 1]));
        }
        run(() -> server.add(dn, attributes));
        return dn;
    }

    /** A group {@code cn=name,ou=groups}; returns its DN. */
    public String group(String name, String... memberDns) {
        String dn = "cn=" + name + ',' + GROUPS;
        run(() -> server.add(
                dn,
                new Attribute("objectClass", "groupOfNames"),
                new Attribute("cn", name),
                new Attribute("member", memberDns)));
        return dn;
    }

    public void delete(String dn) {
        run(() -> server.delete(dn));
    }

    /** Binds with the DN of a user and with its password, right or wrong. */
    public int bindsOf(String dn) {
        return bindsOf.getOrDefault(dn, 0);
    }

    /** Binds of all accounts. */
    public int binds() {
        return binds.get();
    }

    /** The filters of all searches, as they were read. */
    public List<String> filters() {
        return List.copyOf(filters);
    }

    /** Answers no bind from now on, until {@link #answer}. */
    public void hang() {
        gate = new CountDownLatch(1);
    }

    public void answer() {
        gate.countDown();
    }

    /** Binds that wait for an answer now. */
    public int hanging() {
        return hanging.get();
    }

    /** Refers each search to another server, beside its entries; null to end that. */
    public void refer(@Nullable String url) {
        reference = url;
    }

    /** Closes its port until {@link #open}. */
    public void away() {
        answer();
        server.shutDown(true);
    }

    public void open() {
        run(server::startListening);
    }

    private interface Work {
        void run() throws LDAPException;
    }

    private static void run(Work work) {
        try {
            work.run();
        } catch (LDAPException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        away();
    }

    private final class Interceptor extends InMemoryOperationInterceptor {

        @Override
        public void processSimpleBindRequest(InMemoryInterceptedSimpleBindRequest request) throws LDAPException {
            binds.incrementAndGet();
            bindsOf.merge(request.getRequest().getBindDN(), 1, Integer::sum);
            hanging.incrementAndGet();
            try {
                if (!gate.await(60, TimeUnit.SECONDS)) {
                    throw new LDAPException(ResultCode.UNAVAILABLE, "no test ended the pause");
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } finally {
                hanging.decrementAndGet();
            }
        }

        @Override
        public void processSearchRequest(InMemoryInterceptedSearchRequest request) throws LDAPException {
            Filter filter = request.getRequest().getFilter();
            filters.add(filter.toString());
            String other = reference;
            if (other != null) {
                request.sendSearchReference(new SearchResultReference(new String[] {other}, null));
            }
            if (filter.toString().contains(IN_CHAIN)) {
                SearchRequest inChain = request.getRequest().duplicate();
                inChain.setFilter(Filter.createORFilter(inChain(filter.getAssertionValue())));
                request.setRequest(inChain);
            }
        }

        private List<Filter> inChain(String member) throws LDAPException {
            List<Filter> filters = new ArrayList<>();
            Filter direct = Filter.createEqualityFilter("member", member);
            filters.add(direct);
            for (var group : server.search(GROUPS, SearchScope.SUB, direct).getSearchEntries()) {
                filters.addAll(inChain(group.getDN()));
            }
            return filters;
        }
    }
}
