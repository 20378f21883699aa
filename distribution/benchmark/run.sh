#!/bin/sh
# Builds the load generator if it is not built or older than its sources, and runs it:
#   distribution/benchmark/run.sh grpc-read --server 127.0.0.1:8848 --pid "$(cat cairn.pid)"
#   distribution/benchmark/run.sh service-push --subscribers 1000 --pid "$(cat cairn.pid)"
#   distribution/benchmark/run.sh --help
set -eu

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
jar=$here/target/cairn-benchmark.jar

if [ ! -f "$jar" ] || [ -n "$(find "$here/src/main" "$here/pom.xml" -newer "$jar" -print -quit)" ]; then
    (cd "$root" && ./mvnw -q -pl distribution/benchmark -am -DskipTests package >&2)
fi

java=${JAVA_HOME:+$JAVA_HOME/bin/}java
major=$("$java" -XshowSettings:properties -version 2>&1 | sed -n 's/^ *java.specification.version = //p')

# A connection is an open file: as many as the system allows.
ulimit -n "$(ulimit -H -n)" 2>/dev/null || true

set -- -jar "$jar" "$@"
if [ "$major" -ge 22 ]; then
    set -- --enable-native-access=ALL-UNNAMED "$@"
fi
if [ "$major" -ge 23 ]; then
    set -- --sun-misc-unsafe-memory-access=allow "$@"
fi
# One collector thread and a roomy young generation: the server has the cores.
exec "$java" -XX:+UseSerialGC -Xms1g -Xmx2g -Xmn512m "$@"
