#!/usr/bin/env bash
# Stops the Cairn server of this folder gracefully, and says so.
# Exit status: 0 stopped or not running, 1 still running after CAIRN_STOP_TIMEOUT seconds (default: 45), 2 wrong usage.
# shellcheck source-path=SCRIPTDIR

[ -n "$BASH_VERSION" ] || exec bash "$0" "$@" # for those who call it by "sh"
unset CDPATH
script=${BASH_SOURCE[0]}
while [ -L "$script" ]; do
  target=$(readlink "$script")
  case $target in
    /*) script=$target ;;
    *) script=$(dirname "$script")/$target ;;
  esac
done
home=$(cd -P "$(dirname "$script")/.." && pwd -P) || exit 1

stop_timeout=${CAIRN_STOP_TIMEOUT:-45}
case $#:$stop_timeout in
  0:*[!0-9]*)
    echo "shutdown.sh: CAIRN_STOP_TIMEOUT: $stop_timeout (expected: seconds)" >&2
    exit 2
    ;;
  0:*) ;;
  *)
    echo "shutdown.sh: unknown option $1 (it takes none; it stops the server of $home)" >&2
    exit 2
    ;;
esac

# shellcheck source=include/instance.sh
. "$home/bin/include/instance.sh" || exit 1

find_running
if [ -z "$running" ]; then
  echo "Cairn is not running in $home"
  exit 0
fi
if ! kill -TERM "$running"; then
  exit 1 # the shell has said why
fi
until is_gone "$running"; do
  if [ "$SECONDS" -ge "$stop_timeout" ]; then
    echo "Cairn (pid $running) did not stop within $stop_timeout s; kill -9 $running ends it at once" >&2
    exit 1
  fi
  sleep 0.05
done
echo "Cairn stopped (pid $running)"
