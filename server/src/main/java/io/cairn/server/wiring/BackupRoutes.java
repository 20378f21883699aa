package io.cairn.server.wiring;

import io.cairn.server.http.route.HttpRoute;
import java.util.List;

/** Backup and restore. */
record BackupRoutes(List<HttpRoute> routes) {}
