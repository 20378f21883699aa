package io.cairn.server.cluster;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The nodes that a setting names, separated by commas. They never change. */
record MemberList(List<MemberAddress> members) implements MemberLookup {

    static final String SETTING = "nacos.member.list";

    /** @throws io.cairn.api.error.CairnException {@code INVALID_PARAMETER} naming the part that is no address */
    static MemberList parse(String text, int usualPort) {
        Set<MemberAddress> members = new LinkedHashSet<>();
        for (String part : text.split(",")) {
            if (!part.isBlank()) {
                try {
                    members.add(MemberAddress.parse(part, usualPort));
                } catch (IllegalArgumentException e) {
                    throw Settings.refused(SETTING, text, "ip:port,ip:port,…; found " + e.getMessage());
                }
            }
        }
        if (members.isEmpty()) {
            throw Settings.refused(SETTING, text, "ip:port,ip:port,…");
        }
        return new MemberList(List.copyOf(members));
    }

    @Override
    public List<MemberAddress> read() {
        return members;
    }

    @Override
    public String source() {
        return SETTING;
    }

    @Override
    public boolean isComplete() {
        return true;
    }
}
