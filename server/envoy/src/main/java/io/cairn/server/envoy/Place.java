package io.cairn.server.envoy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A place in a resource: the way to it, from the resource as a whole. Immutable. */
final class Place {

    /** The resource as a whole. */
    static final Place WHOLE = new Place(null, "", "");

    private final @Nullable Place parent;
    private final String step;
    private final String shown;

    private Place(@Nullable Place parent, String step, String shown) {
        this.parent = parent;
        this.step = step;
        this.shown = shown;
    }

    /** A field of the message here. */
    Place field(String name) {
        return new Place(this, name, parent == null ? name : "." + name);
    }

    /** An item of the list here. */
    Place item(int index) {
        return new Place(this, Integer.toString(index), "[" + index + "]");
    }

    /** An entry of the map here. */
    Place entry(String key) {
        return new Place(this, key, "[\"" + key + "\"]");
    }

    /** The names and indexes from the whole to here. */
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
