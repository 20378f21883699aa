package io.cairn.api.wire.naming;

import io.cairn.api.wire.AnswerFields;
import io.cairn.api.wire.JsonInput;
import io.cairn.api.wire.JsonOutput;
import java.util.List;

/**
 * The answer to an {@link InstanceDrainRequest}.
 *
 * @param subscribers the number of consumers with the list without the instance
 * @param silentNodes without an answer
 */
public record DrainAnswer(
        AnswerFields answer, boolean acknowledged, int subscribers, List<Waiting> waiting, List<String> silentNodes) {

    public DrainAnswer {
        waiting = List.copyOf(waiting);
        silentNodes = List.copyOf(silentNodes);
    }

    /** @param kind {@code grpc}, {@code udp}, {@code http} or {@code xds} */
    public record Waiting(
            String kind, String id, String address, String app, String agent, String node, String reason) {

        static Waiting read(JsonInput in) {
            String kind = "";
            String id = "";
            String address = "";
            String app = "";
            String agent = "";
            String node = "";
            String reason = "";
            for (String field = in.nextField(); field != null; field = in.nextField()) {
                switch (field) {
                    case "kind" -> kind = in.textOr("");
                    case "id" -> id = in.textOr("");
                    case "address" -> address = in.textOr("");
                    case "app" -> app = in.textOr("");
                    case "agent" -> agent = in.textOr("");
                    case "node" -> node = in.textOr("");
                    case "reason" -> reason = in.textOr("");
                    default -> in.skip();
                }
            }
            return new Waiting(kind, id, address, app, agent, node, reason);
        }

        void write(JsonOutput out) {
            out.text("kind", kind)
                    .text("id", id)
                    .text("address", address)
                    .text("app", app)
                    .text("agent", agent)
                    .text("node", node)
                    .text("reason", reason);
        }
    }

    public static DrainAnswer read(JsonInput in) {
        AnswerFields answer = new AnswerFields();
        boolean acknowledged = false;
        int subscribers = 0;
        List<Waiting> waiting = List.of();
        List<String> silentNodes = List.of();
        for (String field = in.nextField(); field != null; field = in.nextField()) {
            if (answer.read(field, in)) {
                continue;
            }
            switch (field) {
                case "acknowledged" -> acknowledged = in.flag(false);
                case "subscribers" -> subscribers = in.number(0);
                case "waiting" -> waiting = in.objects(Waiting::read);
                case "silentNodes" -> silentNodes = in.textList();
                default -> in.skip();
            }
        }
        return new DrainAnswer(answer, acknowledged, subscribers, waiting, silentNodes);
    }

    public JsonOutput writeTo(JsonOutput out) {
        return out.flag("acknowledged", acknowledged)
                .number("subscribers", subscribers)
                .objects("waiting", waiting, Waiting::write)
                .textList("silentNodes", silentNodes);
    }
}
