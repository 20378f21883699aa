#!/bin/sh
# Measures parts of the server from within:
#   server/measure/run.sh                         all JMH benchmarks; arguments are JMH's: -f 1 -wi 2 -i 3 readQuery
#   server/measure/run.sh memory [100000 [200]]   heap of so many connections, and of so many listens on each
set -eu

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
jar=$here/target/cairn-server-measure.jar

(cd "$root" && ./mvnw -q -pl server/measure -am -DskipTests package >&2)

java=${JAVA_HOME:+$JAVA_HOME/bin/}java
if [ "${1:-}" = memory ]; then
    shift
    exec "$java" -Xmx5g -XX:+UseSerialGC -cp "$jar" io.cairn.measure.ConnectionMemory "$@"
fi
exec "$java" -jar "$jar" "$@"
