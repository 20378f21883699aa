package io.cairn.server.http.route;

import io.cairn.api.config.Namespace;
import io.cairn.server.attention.Finding;
import io.cairn.server.attention.FindingSource;
import io.cairn.server.http.HttpRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Remembers requests with an unknown host name, or through a proxy with an unknown path. The last of each kind stays for 15
 * minutes.
 */
public final class ProxyMisfits implements FindingSource {

    static final Duration REMEMBERED_FOR = Duration.ofMinutes(15);

    private static final int MAX_SHOWN = 100;
    /** Headers that only proxies send. */
    private static final List<String> OF_PROXIES =
            List.of("X-Forwarded-For", "X-Forwarded-Prefix", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-IP");

    private final AtomicReference<@Nullable Seen> names = new AtomicReference<>();
    private final AtomicReference<@Nullable Seen> paths = new AtomicReference<>();
    private final LongSupplier nanoTime;

    private record Seen(String what, String detail, long times, long lastNanos) {}

    /**
     * @param isPath whether a proxy requested an unknown path; else the name was refused
     * @param subject the path, or the host or site
     * @param detail the expected form
     * @param times the number of requests
     */
    public record Misfit(boolean isPath, String subject, String detail, long times) {}

    public ProxyMisfits() {
        this(System::nanoTime);
    }

    ProxyMisfits(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** Notes a request refused for its host or site. */
    void refused(HttpRequest request, String objection) {
        String origin = request.header("origin");
        String host = request.header("host");
        add(names, origin != null ? origin : host == null ? "" : host, objection);
    }

    /** Notes an unknown path, if it came through a proxy and a reader of pages requested it. */
    void unknownPath(HttpRequest request, String contextPath) {
        String accepted = request.header("Accept");
        if (accepted != null
                && accepted.contains("text/html")
                && OF_PROXIES.stream().anyMatch(name -> request.header(name) != null)) {
            add(
                    paths,
                    request.path(),
                    "Cairn answers below " + contextPath
                            + "/ (expected: a proxy that passes on to " + contextPath + "/, such as proxy_pass http://…"
                            + contextPath + "/ of nginx)");
        }
    }

    private void add(AtomicReference<@Nullable Seen> kind, String what, String detail) {
        long now = nanoTime.getAsLong();
        String shown = what.length() <= MAX_SHOWN ? what : what.substring(0, MAX_SHOWN) + "…";
        kind.updateAndGet(
                before -> new Seen(shown, detail, before == null || isOver(before, now) ? 1 : before.times + 1, now));
    }

    private static boolean isOver(Seen seen, long now) {
        return now - seen.lastNanos > REMEMBERED_FOR.toNanos();
    }

    @Override
    public List<Finding> findings(Namespace namespace) {
        return now().stream()
                .map(seen -> new Finding(
                        seen.isPath() ? Finding.Kind.PROXY_PATH_UNKNOWN : Finding.Kind.HOST_REFUSED,
                        false,
                        seen.subject(),
                        "",
                        seen.detail(),
                        seen.times(),
                        0))
                .toList();
    }

    public List<Misfit> now() {
        List<Misfit> all = new ArrayList<>(2);
        add(false, names.get(), all);
        add(true, paths.get(), all);
        return all;
    }

    private void add(boolean isPath, @Nullable Seen seen, List<Misfit> all) {
        if (seen != null && !isOver(seen, nanoTime.getAsLong())) {
            all.add(new Misfit(isPath, seen.what, seen.detail, seen.times));
        }
    }
}
