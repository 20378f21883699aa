#!/bin/sh
# The whole report in one go, against a server that runs already:
#   distribution/benchmark/report.sh PID [HTTP-PORT] [SECONDS]
# First 1 KB answers over HTTP/1.1 (ab) and over HTTP/2 (h2load), for the server and for a bare Netty of the same run; then
# every scenario of `run.sh all`, beside the bare server. Tables on standard output, JSON in report.json.
# More options of `all`, such as --user and --password, go into CAIRN_BENCHMARK_OPTIONS; CAIRN_BENCHMARK_ANSWERS is how many
# answers of 1 KB each tool asks for. What cannot be measured is said, and the rest goes on; the exit status is 1 when a
# measurement failed. A tool that is not installed is named, and is no failure.
set -eu

pid=${1:?the process id of the server}
port=${2:-8848}
seconds=${3:-10}
here=$(cd "$(dirname "$0")" && pwd)
ticks=$(getconf CLK_TCK)

cpu() { # user and system time of a process, in ticks
    sed 's/.*) //' "/proc/$1/stat" | awk '{ print $12 + $13 }'
}

measure() { # name, pid, the command; the server's CPU time for each answer, and answers a second of one core
    name=$1 of=$2
    shift 2
    before=$(cpu "$of")
    if ! "$@" >"$out" 2>&1; then
        printf '%-36s failed: %s\n' "$name" "$(tail -n 1 "$out")"
        status=1
        return
    fi
    after=$(cpu "$of")
    row "$name" "$(awk -v used="$((after - before))" -v ticks="$ticks" -v n="$answers" \
        'BEGIN { print used / ticks / n * 1e6 }')"
}

row() { # name, microseconds of CPU for each answer
    awk -v name="$1" -v us="$2" 'BEGIN { printf "%-36s %8.1f us of CPU %12.0f/s on one core\n", name, us, 1e6 / us }'
}

has() { # the tool, the Debian package that has it; says once that it is absent
    command -v "$1" >/dev/null && return
    [ "$round" = warm-up ] || [ "$who" = server ] || echo "$1 is not installed (Debian: $2), so its row is not measured"
    return 1
}

prepare() { # port
    curl -sf -o /dev/null -X POST "http://127.0.0.1:$1/nacos/v1/cs/configs" \
        -d dataId=report-1k -d group=CAIRN_BENCHMARK -d "content=$(printf '%01024d' 0)"
    curl -sf -o /dev/null "http://127.0.0.1:$1/nacos/v1/cs/configs?dataId=report-1k&group=CAIRN_BENCHMARK"
}

out=$(mktemp)
bare_out=$(mktemp)
answers=${CAIRN_BENCHMARK_ANSWERS:-400000}
status=0
"$here/run.sh" --help >/dev/null
"$here/run.sh" bare-grpc --seconds 600 >"$bare_out" 2>/dev/null &
bare=$!
trap 'kill "$bare" 2>/dev/null || true; rm -f "$out" "$bare_out"' EXIT INT TERM
while ! grep -q '^ready' "$bare_out"; do
    kill -0 "$bare"
    sleep 0.2
done
bare_port=$(awk '/^ready/ { print $2 }' "$bare_out")
bare_pid=$(awk '/^ready/ { print $4 }' "$bare_out")

echo "1 KB answers, $answers of each"
prepare "$port"
prepare "$bare_port"
for round in warm-up measured; do
    echo "$round"
    for who in bare server; do
        [ "$who" = bare ] && { p=$bare_port of=$bare_pid; } || { p=$port of=$pid; }
        url="http://127.0.0.1:$p/nacos/v1/cs/configs?dataId=report-1k&group=CAIRN_BENCHMARK"
        if has ab apache2-utils; then
            measure "HTTP/1.1 ab -k -c 500, $who" "$of" ab -q -k -c 500 -n "$answers" "$url"
        fi
        if has h2load nghttp2-client; then
            measure "HTTP/2 h2load -c 5 -m 100, $who" "$of" h2load -c 5 -m 100 -n "$answers" "$url"
        fi
    done
done
row "HTTP/1.1 ab -k -c 500, a proxy's" 216.9
row "HTTP/2 h2load -c 5 -m 100, a proxy's" 191.6
echo "The last two are the published figures of a proxy: 4,610 and 5,219 requests a second and core, on another machine."
curl -sf --retry 5 -o /dev/null -X DELETE \
    "http://127.0.0.1:$port/nacos/v1/cs/configs?dataId=report-1k&group=CAIRN_BENCHMARK"
kill "$bare"

echo
# shellcheck disable=SC2086
"$here/run.sh" all --server "127.0.0.1:$port" --pid "$pid" --seconds "$seconds" --baseline --json-file report.json \
    ${CAIRN_BENCHMARK_OPTIONS:-} || status=1
exit "$status"
