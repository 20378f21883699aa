package io.cairn.server.subscription.fuzzy;

import io.cairn.api.config.Namespace;
import io.cairn.api.fuzzy.FuzzyPattern;
import io.cairn.server.auth.ReadScope;
import java.util.function.Consumer;

/**
 * The names for patterns. No method may block, or wait for a lock held during {@link FuzzyWatches#changed}.
 *
 * @param <K> the type of the named objects
 */
public interface FuzzyNames<K> {

    /** Every name of the namespace that may be present. */
    void forEach(Namespace namespace, Consumer<K> consumer);

    boolean isPresent(K name);

    boolean matches(FuzzyPattern pattern, K name);

    /** Whether the scope's caller may read the name. */
    boolean isVisible(ReadScope visible, K name);

    /** The clients' form. */
    String spelled(K name);
}
