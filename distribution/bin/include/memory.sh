# How much heap to give the server. Sourced.
# shellcheck shell=bash disable=SC2034

# Lowers `memory_kb` to the limit of control group $2 below the mounted folder $1, or of a group above it, in file $3.
apply_group_limit() {
  local group=$2 bytes
  while :; do
    bytes=
    { read -r bytes <"$1$group/$3"; } 2>/dev/null
    case $bytes in
      '' | *[!0-9]*) ;;
      *) if [ $((bytes / 1024)) -lt "$memory_kb" ]; then memory_kb=$((bytes / 1024)); fi ;;
    esac
    group=${group%/}
    [ -n "$group" ] || break
    group=${group%/*}
  done
}

# Sets `memory_kb` to what the machine has, or the container may use; 0 when nobody says.
find_memory() {
  local key value rest
  memory_kb=0
  if [ -r /proc/meminfo ]; then
    while read -r key value rest; do
      [ "$key" = MemTotal: ] && memory_kb=$value && break
    done </proc/meminfo
  else
    value=$(sysctl -n hw.memsize 2>/dev/null)
    memory_kb=$((${value:-0} / 1024))
  fi
  if [ -r /proc/self/cgroup ]; then
    while IFS=: read -r rest key value; do
      case $key in
        '') apply_group_limit /sys/fs/cgroup "$value" memory.max ;;
        *memory*) apply_group_limit /sys/fs/cgroup/memory "$value" memory.limit_in_bytes ;;
      esac
    done </proc/self/cgroup
  fi
}

# Sets `max_heap_mb` to a quarter of the memory, at least 256 and at most 2048.
choose_heap() {
  find_memory
  max_heap_mb=$((memory_kb / 4096))
  [ "$max_heap_mb" -ge 256 ] || max_heap_mb=256
  [ "$max_heap_mb" -le 2048 ] || max_heap_mb=2048
}
