#!/bin/sh
# The mesh edge beside java-control-plane in one run: both are started afresh with the same JVM flags, and have each part of
# the load in turn.
#   distribution/benchmark/beside-java-control-plane.sh [options of `run.sh xds`, such as --delta]
# Linux only. Build first: ./mvnw -q -DskipTests -pl distribution,distribution/benchmark -am package
# java-control-plane is a dependency of this module's tests alone; target/test-class-path keeps where Maven has it.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
packed=$root/distribution/target/cairn
[ -x "$packed/bin/startup.sh" ] || {
    echo "no installation in $packed; build it: ./mvnw -q -DskipTests -pl distribution -am package" >&2
    exit 1
}
class_path=$here/target/test-class-path
if [ ! -f "$class_path" ] || [ "$here/pom.xml" -nt "$class_path" ] || [ ! -d "$here/target/test-classes" ]; then
    (cd "$root" && ./mvnw -q -pl distribution/benchmark -am -DskipTests test-compile dependency:build-classpath \
        -Dmdep.includeScope=test "-Dmdep.outputFile=$class_path" >&2)
fi

folder=$(mktemp -d)
home=$folder/cairn
beside=
cleanup() {
    [ -z "$beside" ] || kill "$beside" 2>/dev/null || true
    "$home/bin/shutdown.sh" >/dev/null 2>&1 || true
    rm -rf "$folder"
}
trap cleanup EXIT
trap 'exit 1' INT TERM
mkdir "$home"
for part in bin conf lib; do
    cp -a "$packed/$part" "$home/" # data and logs of other runs stay there
done

is_free() { # a port
    [ -z "$(ss -Htnl "sport = :$1")" ]
}
port=18848
until is_free "$port" && is_free $((port + 1000)); do
    port=$((port + 1))
done
# Neither has an archive of compiled classes.
CAIRN_AOT=off CAIRN_MEMORY=${CAIRN_MEMORY:-1g} "$home/bin/startup.sh" -m standalone "--server.port=$port" >"$folder/out"
pid=$(cat "$home/data/cairn.pid")
flags=$(tr '\0' '\n' <"/proc/$pid/cmdline" | grep -E '^-(Xm[sx]|XX:[+-]Use|XX:G1|XX:FreqInlineSize|XX:MaxInlineLevel|XX:InlineSmallCode)')

mkfifo "$folder/input"
java=$(readlink -f "/proc/$pid/exe")
# shellcheck disable=SC2086 # one flag a word
"$java" $flags -cp "$here/target/test-classes:$here/target/classes:$(cat "$class_path")" \
    io.cairn.benchmark.bare.JavaControlPlane 0 <"$folder/input" >"$folder/beside.out" 2>"$folder/beside.err" &
beside=$!
exec 3>"$folder/input"
while ! grep -q '^ready' "$folder/beside.out"; do
    kill -0 "$beside" 2>/dev/null || {
        cat "$folder/beside.err" >&2
        exit 1
    }
    sleep 0.2
done
beside_port=$(awk '/^ready/ { print $2 }' "$folder/beside.out")

echo "JVM flags of both:" $flags
"$here/run.sh" xds --server "127.0.0.1:$port" --pid "$pid" --beside "127.0.0.1:$beside_port=$beside" "$@"
