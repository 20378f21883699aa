package io.cairn.server.http.naming;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.cairn.server.naming.label.LabelSelector;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The view of a selector: the operator's text with the source of its values. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record SelectorView(
        String type, @Nullable String expression, @Nullable List<String> labels, String contextType) {

    public static SelectorView of(LabelSelector selector) {
        return selector.expression() == null
                ? new SelectorView("none", null, null, "NONE")
                : new SelectorView("label", selector.expression(), selector.labels(), "CMDB");
    }
}
