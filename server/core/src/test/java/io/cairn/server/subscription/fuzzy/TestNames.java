package io.cairn.server.subscription.fuzzy;

import io.cairn.api.config.Namespace;
import io.cairn.api.fuzzy.FuzzyPattern;
import io.cairn.server.auth.ReadScope;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.function.Consumer;

/** Names that come and go as a test says, all in one group. */
final class TestNames implements FuzzyNames<String> {

    private final ConcurrentSkipListSet<String> present = new ConcurrentSkipListSet<>();

    void add(String name) {
        present.add(name);
    }

    void remove(String name) {
        present.remove(name);
    }

    Set<String> present() {
        return Set.copyOf(present);
    }

    @Override
    public void forEach(Namespace namespace, Consumer<String> consumer) {
        present.forEach(consumer);
    }

    @Override
    public boolean isPresent(String name) {
        return present.contains(name);
    }

    @Override
    public boolean matches(FuzzyPattern pattern, String name) {
        return pattern.matches(Namespace.DEFAULT, "G", name);
    }

    @Override
    public boolean isVisible(ReadScope visible, String name) {
        return true;
    }

    @Override
    public String spelled(String name) {
        return name;
    }
}
