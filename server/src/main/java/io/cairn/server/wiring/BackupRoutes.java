package io.cairn.server.wiring;

import io.cairn.server.http.HttpRoute;
import java.util.List;

/** Backup and restore. */
record BackupRoutes(List<HttpRoute> routes) {}
