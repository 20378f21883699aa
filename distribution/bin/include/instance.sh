# Which server runs in this home. Sourced; expects $home.
# shellcheck shell=bash disable=SC2154,SC2034

pid_file=$home/data/cairn.pid

# runs_in PID FOLDER: whether that process is a Cairn whose home is FOLDER, so that a reused pid is never mistaken.
runs_in() {
  local wanted=-Dcairn.home=$2 argument
  if [ -r "/proc/$1/cmdline" ]; then
    while IFS= read -r -d '' argument; do
      [ "$argument" = "$wanted" ] && return 0
    done <"/proc/$1/cmdline"
  elif [ ! -d /proc/self ]; then
    case " $(ps -ww -p "$1" -o args= 2>/dev/null) " in
      *" $wanted "*) return 0 ;;
    esac
  fi
  return 1
}

# is_gone PID: whether that process has ended, down to its last thread, and so its ports and files are free. One that
# waits for a parent to ask for its exit status has.
is_gone() {
  local key value state=
  kill -0 "$1" 2>/dev/null || return 0
  while read -r key value; do
    case $key in
      State:) state=${value:0:1} ;;
      Threads:) [ "$state" = Z ] && [ "$value" -le 1 ] && return 0 ;;
    esac
  done 2>/dev/null <"/proc/$1/status"
  return 1
}

# Sets `running` to the pid of this home's server, or to nothing.
find_running() {
  local pid=
  running=
  { read -r pid <"$pid_file"; } 2>/dev/null
  case $pid in
    '' | *[!0-9]*) return ;;
  esac
  if runs_in "$pid" "$home"; then
    running=$pid
  fi
}
