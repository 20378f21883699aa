package io.cairn.server.cluster.routing;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.cluster.wire.ClusterMessage.Forwarded;
import io.cairn.server.naming.NamingException;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Translates refusals to messages and back, so that a caller gets the error of the other node. */
public final class Refusals {

    private static final Map<String, NamingException.Fault> FAULTS = byName(NamingException.Fault.values());
    private static final Map<String, ErrorCode> CODES = byName(ErrorCode.values());

    private Refusals() {}

    private static <E extends Enum<E>> Map<String, E> byName(E[] values) {
        return Stream.of(values).collect(Collectors.toUnmodifiableMap(Enum::name, Function.identity()));
    }

    static Forwarded.Result result(CairnException refusal) {
        return new Forwarded.Result(true, 0, refusal(refusal));
    }

    public static Forwarded.Refusal refusal(CairnException refusal) {
        String code = refusal instanceof NamingException naming
                ? naming.fault().name()
                : refusal.code().name();
        return new Forwarded.Refusal(code, refusal.text());
    }

    public static CairnException exception(Forwarded.Refusal refusal) {
        NamingException.Fault fault = FAULTS.get(refusal.code());
        return fault != null
                ? new NamingException(fault, refusal.text())
                : new CairnException(CODES.getOrDefault(refusal.code(), ErrorCode.INTERNAL), refusal.text());
    }

    /** Whether another node may handle the request although this one could not. */
    static boolean isInability(Forwarded.Refusal refusal) {
        return switch (exception(refusal).code()) {
            case UNAVAILABLE, BEHIND, BUSY, INTERNAL -> true;
            case INVALID_PARAMETER, NOT_FOUND, CONFLICT, LIMIT_EXCEEDED, UNSUPPORTED -> false;
        };
    }
}
