package io.cairn.api.wire.naming;

import io.cairn.api.wire.JsonInput;

/**
 * Queries a page of the service names of a group.
 *
 * @param pageNo counted from 1
 */
public record ServiceListRequest(ServiceName service, int pageNo, int pageSize) {

    public static ServiceListRequest read(JsonInput in) {
        ServiceFields service = new ServiceFields();
        int pageNo = 0;
        int pageSize = 0;
        for (String field = in.nextField(); field != null; field = in.nextField()) {
            if (service.read(field, in)) {
                continue;
            }
            switch (field) {
                case "pageNo" -> pageNo = in.number(0);
                case "pageSize" -> pageSize = in.number(0);
                default -> in.skip();
            }
        }
        return new ServiceListRequest(service.toName(), pageNo, pageSize);
    }

    public byte[] toJson() {
        return service.fields(256)
                .number("pageNo", pageNo)
                .number("pageSize", pageSize)
                .text("module", "naming")
                .toBytes();
    }
}
