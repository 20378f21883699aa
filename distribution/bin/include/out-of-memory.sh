# Says that the memory of the server is used up: in logs/cairn.log, and on standard error, which a container or a service manager keeps.
# The JVM runs this in the home of the server before it ends with status 3.
#   out-of-memory.sh HEAP PID
# shellcheck shell=bash

what="The server ends with status 3, because its memory is used up (heap: $1); a service manager or a container starts it again."
remedy="Set a larger heap with CAIRN_MEMORY, such as CAIRN_MEMORY=1g (docs/guide/operate.md, Memory)"
line="$(date -u +%Y-%m-%dT%H:%M:%S.000Z) ERROR $2 --- [out-of-memory] bin/startup.sh : $what $remedy"
echo "$line" >&2
echo "$line" >>logs/cairn.log
