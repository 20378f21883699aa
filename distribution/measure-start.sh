#!/usr/bin/env bash
# Measures how fast a fresh installation starts and how much it takes when idle: a copy of target/cairn in a temporary
# folder on a free pair of ports. Linux only. Build first: ./mvnw -q -DskipTests -pl distribution -am package
#   distribution/measure-start.sh [later starts, 3]
set -euo pipefail

later_starts=${1:-3}
packed=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/target/cairn
if [ ! -x "$packed/bin/startup.sh" ]; then
  echo "no installation in $packed; build it: ./mvnw -q -DskipTests -pl distribution -am package" >&2
  exit 1
fi
folder=$(mktemp -d)
home=$folder/cairn
cleanup() {
  "$home/bin/shutdown.sh" >/dev/null 2>&1 || true
  for ((i = 0; i < 1500; i++)); do # a recording under way ends by itself
    [ -d "$home/data/aot/training.lock" ] || break
    sleep 0.1
  done
  rm -rf "$folder"
}
trap cleanup EXIT
mkdir "$home"
for part in bin conf lib LICENSE README.txt; do
  cp -a "$packed/$part" "$home/" # what a run has left in target/cairn stays there
done

is_free() {
  ! { : <"/dev/tcp/127.0.0.1/$1"; } 2>/dev/null
}
port=18848
until is_free "$port" && is_free $((port + 1000)); do
  port=$((port + 1))
done

measure() { # $1: which start
  local began ended pid ticks
  began=$(date +%s%N)
  "$home/bin/startup.sh" -m standalone "--server.port=$port" >"$folder/out"
  ended=$(date +%s%N)
  pid=$(cat "$home/data/cairn.pid")
  ticks=$(awk '{ print $14 + $15 }' "/proc/$pid/stat")
  sleep 10
  printf '| %-5s | %8d | %8d | %12d | %7d |\n' "$1" $(((ended - began) / 1000000)) \
    $((ticks * 1000 / $(getconf CLK_TCK))) \
    $(($(awk '/^VmRSS/ { print $2 }' "/proc/$pid/status") / 1024)) \
    "$(awk '/^Threads/ { print $2 }' "/proc/$pid/status")"
}

echo "Load before: $(cut -d' ' -f1-3 /proc/loadavg), processors: $(nproc)"
echo
echo "| start | ready ms | CPU ms   | resident MB  | threads |"
echo "| ----- | -------- | -------- | ------------ | ------- |"
measure first
java=$(sed -n '1s/.*, \(Java.*\))$/\1/p' "$folder/out")
for ((i = 0; i < 1500; i++)); do
  archive=$(find "$home/data/aot" -maxdepth 1 -name 'cairn-java*')
  [ -z "$archive" ] || break
  sleep 0.1
done
for ((n = 1; n <= later_starts; n++)); do
  "$home/bin/shutdown.sh" >/dev/null
  measure later
done
echo
if [ -n "$archive" ]; then
  echo "$java, start-up archive of $(($(stat -c %s "$archive") / 1024 / 1024)) MB"
else
  echo "$java, no start-up archive"
fi
echo "Resident memory and threads: 10 s after the server was ready, without a client."
