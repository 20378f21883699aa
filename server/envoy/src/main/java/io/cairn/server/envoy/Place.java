package io.cairn.server.envoy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The path to a place in a resource. */
final class Place {

    static final Place WHOLE = new Place(null, "", "");

    private final @Nullable Place parent;
    private final String step;
    private final String shown;

    private Place(@Nullable Place parent, String step, String shown) {
        this.parent = parent;
        this.step = step;
        this.shown = shown;
    }

    Place field(String name) {
        return new Place(this, name, parent == null ? name : "." + name);
    }

    Place item(int index) {
        return new Place(this, Integer.toString(index), "[" + index + "]");
    }

    Place entry(String key) {
        return new Place(this, key, "[\"" + key + "\"]");
    }

    /** Names and indexes from the root. */
    List<String> steps() {
        List<String> steps = new ArrayList<>();
        for (Place place = this; place.parent != null; place = place.parent) {
            steps.add(place.step);
        }
        Collections.reverse(steps);
        return steps;
    }

    /** Such as {@code virtual_hosts[0].routes[1].match}; empty for the whole. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        append(text);
        return text.toString();
    }

    private void append(StringBuilder text) {
        if (parent != null) {
            parent.append(text);
        }
        text.append(shown);
    }
}
