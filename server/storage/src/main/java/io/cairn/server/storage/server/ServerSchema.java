package io.cairn.server.storage.server;

import java.sql.SQLException;
import java.util.List;

/** The tables of a database server: made, adopted from Nacos, brought up to date. */
public interface ServerSchema {

    /** Blocks while another node does the same. */
    void bringUpToDate() throws SQLException;

    /** The statements of {@link #bringUpToDate()}, a script in one piece. */
    List<String> plan() throws SQLException;
}
