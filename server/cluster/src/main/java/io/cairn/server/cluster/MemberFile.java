package io.cairn.server.cluster;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

/** The nodes that {@code conf/cluster.conf} names, a line each. */
record MemberFile(Path file, int usualPort) implements MemberLookup {

    /** Whether the file exists and has nodes. An unreadable file is meant to be used, so it counts. */
    boolean namesMembers() {
        try {
            return MemberLines.hasAny(text());
        } catch (NoSuchFileException e) {
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    /** A comment in another encoding than UTF-8 does no harm. */
    private String text() throws IOException {
        return new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
    }

    @Override
    public List<MemberAddress> read() throws IOException {
        String text;
        try {
            text = text();
        } catch (NoSuchFileException e) {
            throw new IOException(file + " is missing (expected: a file with ip:port of each node on a line)", e);
        } catch (IOException e) {
            throw new IOException(file + " cannot be read: " + e.getMessage(), e);
        }
        List<MemberAddress> members = MemberLines.parse(text, source(), usualPort);
        if (members.isEmpty()) {
            throw new IOException(file + " names no node (expected: ip:port of each node on a line)");
        }
        return members;
    }

    @Override
    public String source() {
        return file.toString();
    }

    @Override
    public boolean isComplete() {
        return true;
    }
}
