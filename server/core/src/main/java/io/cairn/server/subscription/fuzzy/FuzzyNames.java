package io.cairn.server.subscription.fuzzy;

import io.cairn.api.config.Namespace;
import io.cairn.api.fuzzy.FuzzyPattern;
import io.cairn.server.auth.ReadScope;
import java.util.function.Consumer;

/**
 * The names that patterns are matched with. Thread-safe. No method may block, or wait for a lock that is held while
 * {@link FuzzyWatches#changed} is called.
 *
 * @param <K> the type of the named objects
 */
public interface FuzzyNames<K> {

    /** Hands over every name of the namespace that may be present. */
    void forEach(Namespace namespace, Consumer<K> consumer);

    /** Whether it is there at the moment. */
    boolean isPresent(K name);

    boolean matches(FuzzyPattern pattern, K name);

    /** Whether the caller of that scope may read the name. */
    boolean isVisible(ReadScope visible, K name);

    /** How clients know it. */
    String spelled(K name);
}
