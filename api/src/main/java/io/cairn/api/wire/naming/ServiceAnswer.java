package io.cairn.api.wire.naming;

import io.cairn.api.wire.AnswerFields;
import io.cairn.api.wire.JsonInput;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The responses to a query, a subscription and a listing, and the push to subscribers.
 *
 * @param requestId of a push
 * @param revision of the service; 0 when absent
 * @param delta instead of the service
 * @param count all services of a listing
 * @param names one page of a listing
 */
public record ServiceAnswer(
        AnswerFields answer,
        @Nullable String requestId,
        @Nullable ServiceInfo service,
        long revision,
        @Nullable ServiceDelta delta,
        int count,
        List<String> names) {

    public static final String REVISION = "revision";

    public ServiceAnswer {
        names = List.copyOf(names);
    }

    public static ServiceAnswer read(JsonInput in) {
        AnswerFields answer = new AnswerFields();
        String requestId = null;
        ServiceInfo service = null;
        long revision = 0;
        ServiceDelta delta = null;
        int count = 0;
        List<String> names = List.of();
        for (String field = in.nextField(); field != null; field = in.nextField()) {
            if (answer.read(field, in)) {
                continue;
            }
            switch (field) {
                case "requestId" -> requestId = in.text();
                case "serviceInfo" -> service = in.object(ServiceInfo::read);
                case REVISION -> revision = (long) in.decimal(0);
                case ServiceDelta.FIELD -> delta = in.object(ServiceDelta::read);
                case "count" -> count = in.number(0);
                case "serviceNames" -> names = in.textList();
                default -> in.skip();
            }
        }
        return new ServiceAnswer(answer, requestId, service, revision, delta, count, names);
    }
}
