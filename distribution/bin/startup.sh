#!/usr/bin/env bash
# Starts the Cairn server of this folder and returns once it is ready. See --help.
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
main_class=io.cairn.server.CairnServer

usage() {
  cat <<TEXT
Usage: startup.sh [options] [--setting=value ...]

Starts the Cairn server of $home
and returns once it is ready, as its readiness endpoint says.

  -m standalone|cluster  the mode; without it cluster if -c, conf/cluster.conf or conf/application.properties names members or
                         says how to find them, else standalone
  -p embedded            the embedded store, which is the default
  -f config|naming|all   accepted for old scripts; everything is always served
  -c ip:port,...         the members of the cluster, this server among them, by their ports for HTTP
  -s name                accepted for the sake of existing scripts; there is one server
  --foreground           run in this terminal, for containers and service managers
  --record-archive       record the start-up archive in the foreground and start nothing: in aot/, or in data/aot/ where
                         aot/ cannot be written; an image or a package brings it. Without it the first start records
                         one in the background
  --dry-run              print the SQL that would make a MySQL or MariaDB ready, and start nothing
  --version              print the version
  --help                 this text
  --setting=value        a setting of conf/application.properties, such as --server.port=18848

Environment:
  CAIRN_JAVA_HOME        the JDK to use; without it the newest of JAVA_HOME, PATH and the usual places
  CAIRN_MEMORY           the largest heap, such as 4g, or JVM memory flags such as "-Xms512m -Xmx4g"
                         (also: CUSTOM_NACOS_MEMORY);
                         without it at most a quarter of the memory, between 256 MB and 2 GB
  JVM_XMS, JVM_XMX, JVM_XMN  the same as the image of Nacos has it, such as "512m"; with --foreground also
                         MODE (standalone, cluster), NACOS_SERVERS ("host:port host:port ..."), NACOS_APPLICATION_PORT,
                         NACOS_SERVER_IP, PREFER_HOST_MODE (hostname, ip) and others: docs/guide/install.md
  CAIRN_OPTS, JAVA_OPTS  more JVM flags
  CAIRN_AOT              off: neither use nor record a start-up archive
  CAIRN_START_TIMEOUT    seconds that a start may take (default: 120)

Exit status: 0 ready (recorded, printed), 1 not started (not recorded), 2 wrong usage.
TEXT
}

refuse() { # wrong usage
  echo "startup.sh: $1 (try --help)" >&2
  exit 2
}

fail() { # not started, and why
  echo "Cairn did not start: $1" >&2
  exit 1
}

mode=
function_mode=all
foreground=
dry_run=
record=
members=
program_arguments=()
while [ $# -gt 0 ]; do
  case $1 in
    -m | -p | -f | -c | -s)
      [ $# -ge 2 ] || refuse "option $1 needs a value"
      case $1$2 in
        -mstandalone | -mcluster) mode=$2 ;;
        -pembedded | -s*) ;;
        -fconfig | -fnaming | -fall) function_mode=$2 ;;
        -c?*) members=$2 ;;
        -m*) refuse "-m: $2 (expected: standalone or cluster)" ;;
        -p*) refuse "-p: $2 (expected: embedded)" ;;
        -f*) refuse "-f: $2 (expected: config, naming or all)" ;;
        *) refuse "-c: (expected: ip:port,...)" ;;
      esac
      shift
      ;;
    --foreground) foreground=yes ;;
    --dry-run) dry_run=yes ;;
    --record-archive) record=yes ;;
    --version)
      version=$(cd "$home/lib" 2>/dev/null && ls cairn-server-[0-9]*.jar 2>/dev/null)
      version=${version#cairn-server-}
      echo "Cairn ${version%.jar}"
      exit 0
      ;;
    --help | -h)
      usage
      exit 0
      ;;
    --?*=*) program_arguments+=("$1") ;;
    *) refuse "unknown option $1" ;;
  esac
  shift
done

# Adds a setting that an argument does not name, with the value of a variable of the image of Nacos.
image_setting() { # setting, value
  [ -n "$2" ] || return 0
  case " ${program_arguments[*]-} " in
    *" --$1="*) ;;
    *) program_arguments+=("--$1=$2") ;;
  esac
}

# The variables of the image of Nacos: in a container they are for this server, elsewhere they may be anybody's.
if [ -n "$foreground" ]; then
  image_setting server.port "${NACOS_APPLICATION_PORT:-}"
  image_setting nacos.inetutils.ip-address "${NACOS_SERVER_IP:-}"
  image_setting nacos.inetutils.preferred-networks "${PREFERRED_NETWORKS:-}"
  image_setting nacos.inetutils.ignored-interfaces "${IGNORED_INTERFACES:-}"
  image_setting nacos.inetutils.use-only-site-local-interfaces "${USE_ONLY_SITE_INTERFACES:-}"
  [ "${PREFER_HOST_MODE:-}" != hostname ] || image_setting nacos.inetutils.prefer-hostname-over-ip true
  image_setting nacos.core.auth.plugin.nacos.token.expire.seconds "${NACOS_AUTH_TOKEN_EXPIRE_SECONDS:-}"
  case $function_mode:${FUNCTION_MODE:-} in
    all:config | all:naming) function_mode=$FUNCTION_MODE ;;
  esac
  if [ -z "$mode" ]; then
    case ${MODE:-} in
      standalone | cluster) mode=$MODE ;;
    esac
  fi
  if [ -z "$members" ]; then
    set -f
    # shellcheck disable=SC2206 # the addresses are separated by blanks
    servers=(${NACOS_SERVERS:-})
    set +f
    members=$(IFS=, && echo "${servers[*]-}")
    members=${members:-${MEMBER_LIST:-}}
  fi
fi

asks_for_cluster() { # whether conf/application.properties says how to find other nodes
  local line
  while IFS= read -r line || [ -n "$line" ]; do
    line=${line//[[:space:]]/}
    case $line in
      nacos.standalone=false | nacos.member.list=?* | nacos.core.member.lookup.type=?* | cairn.cluster.dns=?*) return 0 ;;
    esac
  done 2>/dev/null <"$home/conf/application.properties"
  return 1
}

names_members() { # whether conf/cluster.conf has a line that is not a comment
  local line
  while IFS= read -r line || [ -n "$line" ]; do
    line=${line%%#*}
    [ -z "${line//[[:space:]]/}" ] || return 0
  done 2>/dev/null <"$home/conf/cluster.conf"
  return 1
}

if [ -z "$mode" ]; then
  mode=standalone
  if [ -n "$members" ] || names_members || asks_for_cluster; then
    mode=cluster
  fi
fi
standalone=true
if [ "$mode" = cluster ]; then
  standalone=false
  [ -z "$members" ] || program_arguments+=("--nacos.member.list=$members")
fi

# shellcheck source=include/instance.sh
. "$home/bin/include/instance.sh" || exit 1
# shellcheck source=include/java.sh
. "$home/bin/include/java.sh" || exit 1
# shellcheck source=include/memory.sh
. "$home/bin/include/memory.sh" || exit 1
# shellcheck source=include/archive.sh
. "$home/bin/include/archive.sh" || exit 1

find_running
if [ -n "$running" ] && [ -z "$dry_run$record" ]; then
  fail "it is already running (pid $running); $home/bin/shutdown.sh stops it"
fi
case $home in
  *:*) fail "a path of Java cannot hold a colon: $home" ;;
esac
list_jars() { # sets `class_path`, in one order everywhere: the archive depends on it
  local LC_ALL=C IFS=: jars
  jars=("$home"/lib/*.jar)
  class_path=${jars[*]}
}
list_jars
if [ ! -e "${class_path%%:*}" ]; then
  fail "no server in $home/lib; ./mvnw -q -DskipTests -pl distribution -am package builds one in distribution/target/cairn"
fi
log=$home/logs/start.out
mkdir -p "$home/data" "$home/logs" 2>/dev/null
for folder in "$home/data" "$home/logs"; do
  if [ -e "$folder" ] && [ ! -d "$folder" ]; then
    fail "$folder is not a folder; remove it"
  fi
done
if ! [ -w "$home/data" ] || ! [ -w "$home/logs" ]; then
  fail "no permission to write to data/ and logs/ in $home"
fi
for folder in "$home/data" "$home/logs"; do # without room it could not even say why it does not start
  [ -z "$dry_run" ] || break
  probe=$folder/startup.$$.room
  if ! head -c 1048576 /dev/zero 2>/dev/null >"$probe"; then
    rm -f "$probe"
    fail "the disk of $folder is full; free some space (df -h $folder shows what there is)"
  fi
  rm -f "$probe"
done
find_java
[ -n "$java_home" ] || fail "$java_problem"
java=("$java_home/bin/java")
case ${LC_ALL:-${LC_CTYPE:-${LANG:-}}} in
  '' | C | POSIX) java=(env LC_ALL=C.UTF-8 "${java[@]}") ;; # else Java cannot read a path beyond ASCII
esac

if [ -n "$dry_run" ]; then
  exec "${java[@]}" -Xmx256m --enable-native-access=ALL-UNNAMED "-Dcairn.home=$home" -Dcairn.log-to-console=false \
    -cp "$class_path" "$main_class" --dry-run ${program_arguments[@]+"${program_arguments[@]}"}
fi

set -f # the flags are split into words, and no more
# shellcheck disable=SC2206
memory_flags=(${CAIRN_MEMORY:-${CUSTOM_NACOS_MEMORY:-}})
# shellcheck disable=SC2206
more_flags=(${JAVA_OPTS:-} ${CAIRN_OPTS:-})
set +f
if [ ${#memory_flags[@]} -eq 1 ] && [[ ${memory_flags[0]} =~ ^[1-9][0-9]*[kKmMgG]$ ]]; then
  memory_flags=("-Xmx${memory_flags[0]}")
fi
for flag in ${memory_flags[@]+"${memory_flags[@]}"}; do
  case $flag in
    -*) ;;
    *) refuse "CAIRN_MEMORY: $flag (expected: a size such as 512m, or JVM flags such as -Xms512m -Xmx4g)" ;;
  esac
done
open_files=$(ulimit -Hn) # a JVM raises its own limit to this one
if [ "$open_files" != unlimited ] && [ "$open_files" -lt 4096 ]; then
  echo "startup.sh: this server may open $open_files files (ulimit -Hn), and each connection takes one; allow 65536 or more" >&2
fi
if [ ${#memory_flags[@]} -eq 0 ]; then
  choose_heap
  memory_flags=("-Xms${JVM_XMS:-64m}" "-Xmx${JVM_XMX:-${max_heap_mb}m}" ${JVM_XMN:+"-Xmn$JVM_XMN"})
fi
jvm_flags=("${memory_flags[@]}" "-XX:ErrorFile=$home/logs/hs_err_%p.log" -XX:+ExitOnOutOfMemoryError
  --enable-native-access=ALL-UNNAMED)
case "${memory_flags[*]} ${more_flags[*]}" in
  *-XX:+Use*GC*) ;;
  *) jvm_flags+=(-XX:+UseG1GC) ;;
esac
if [ "$java_feature" -ge 25 ]; then
  jvm_flags+=(-XX:+UseCompactObjectHeaders)
fi
if [ "$java_feature" -eq 25 ]; then # its refinement threads wake 13 times a second for ever: see ADR 33
  jvm_flags+=(-XX:G1ConcRefinementThreads=0)
fi
# The optimizing compiler inlines less than by default: the tuning notes in the sources have the measurements.
jvm_flags+=(-XX:FreqInlineSize=160 -XX:MaxInlineLevel=9 -XX:InlineSmallCode=1000)
recording_flags=("${jvm_flags[@]}")
for flag in ${more_flags[@]+"${more_flags[@]}"}; do
  jvm_flags+=("$flag")
  case $flag in # of those given from outside only what an archive depends on: no agent, log file or port twice
    -Xm[sx]* | -XX:[+-]Use* | --add-* | --enable-*) recording_flags+=("$flag") ;;
  esac
done
choose_archive
[ -z "$record" ] || record_on_purpose

# Where native libraries can be run from: /tmp may forbid it, as that of a container does.
native=$home/data/native
mkdir -p "$native" 2>/dev/null
case "${more_flags[*]-}" in
  *-Dio.netty.native.workdir=*) ;;
  *) if [ -w "$native" ]; then jvm_flags+=("-Dio.netty.native.workdir=$native"); fi ;;
esac

heap=default # the last flag counts
for flag in "${jvm_flags[@]}"; do
  case $flag in
    -Xmx* | -XX:MaxRAMPercentage=* | -XX:MaxHeapSize=*) heap=$flag ;;
  esac
done

status_file=$home/data/startup.$$.status
waiting_file=$status_file.waiting # why the server is not ready yet
build_command() {
  command=("${java[@]}" "-Dcairn.home=$home" "-Dcairn.pid-file=$pid_file"
    "-Dcairn.status-file=$status_file" "-Dnacos.standalone=$standalone"
    "-XX:OnOutOfMemoryError=bash bin/include/out-of-memory.sh $heap %p")
  if [ -z "$foreground" ]; then # logs/cairn.log has it all, and is rotated
    command+=("-Dcairn.log-to-console=false")
  fi
  if [ "$function_mode" != all ]; then
    command+=("-Dnacos.functionMode=$function_mode")
  fi
  command+=("${jvm_flags[@]}" ${archive_flags[@]+"${archive_flags[@]}"} -cp "$class_path" "$main_class"
    ${program_arguments[@]+"${program_arguments[@]}"})
}
build_command

start_timeout=${CAIRN_START_TIMEOUT:-120}
case $start_timeout in
  *[!0-9]*) fail "CAIRN_START_TIMEOUT: $start_timeout (expected: seconds)" ;;
esac

cd "$home" || exit 1 # so that the server keeps no other folder busy
if [ -n "$foreground" ]; then
  (
    trap '' HUP INT
    while kill -0 $$ 2>/dev/null && [ ! -f "$status_file" ] && [ "$SECONDS" -lt "$start_timeout" ]; do
      sleep 0.2
    done
    outcome=
    { read -r outcome <"$status_file"; } 2>/dev/null
    rm -f "$status_file" "$waiting_file"
    if [ "$outcome" = ready ] && [ -n "$archive" ] && [ ! -s "$archive" ]; then
      record_archive $$
    fi
  ) </dev/null >>"$log" 2>&1 &
  exec "${command[@]}"
fi

[ ! -f "$log" ] || mv -f "$log" "$log.1"
detach=()
if command -v setsid >/dev/null 2>&1; then
  detach=(setsid) # so that what ends this terminal does not end the server
fi

launch() { # sets `child`
  rm -f "$status_file" "$waiting_file"
  ${detach[@]+"${detach[@]}"} "${command[@]}" </dev/null >>"$log" 2>&1 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&- &
  child=$!
}

await_status() { # sets `outcome` to ready, failed, died or late, and `waiting` to what a late one waits for
  outcome=
  waiting=
  while [ ! -f "$status_file" ]; do
    if ! kill -0 "$child" 2>/dev/null; then
      [ -f "$status_file" ] || outcome=died
      break
    elif [ "$SECONDS" -ge "$start_timeout" ]; then
      outcome=late
      { IFS= read -r waiting <"$waiting_file"; } 2>/dev/null
      break
    fi
    sleep 0.05
  done
  if [ -z "$outcome" ]; then
    { read -r outcome && IFS= read -r cause; } <"$status_file"
  fi
}

end_child() { # sets `child_status`
  local i
  kill -TERM "$child" 2>/dev/null
  for ((i = 0; i < 200; i++)); do
    kill -0 "$child" 2>/dev/null || break
    sleep 0.05
  done
  kill -KILL "$child" 2>/dev/null
  wait "$child" 2>/dev/null
  child_status=$?
}

explanation() { # the line of the log that says most: the innermost exception, else an error, else the last one
  local pattern line
  for pattern in '^Caused by: ' '^Unrecognized \|^Invalid \|^Conflicting \|Exception: \|[Ee]rror: ' '[^[:space:]]'; do
    line=$(grep "$pattern" "$log" 2>/dev/null | if [ "${pattern:0:2}" = '^U' ]; then head -n 1; else tail -n 1; fi)
    if [ -n "$line" ]; then
      echo "$line"
      return
    fi
  done
}

trap 'end_child; rm -f "$status_file" "$waiting_file"; exit 130' INT TERM
launch
await_status 2>/dev/null # where the shell tells of a child's signal
if [ "$outcome" = died ] && [ ${#archive_flags[@]} -gt 0 ]; then
  end_child 2>/dev/null
  if [ "$child_status" -ge 128 ]; then # a crash of the JVM: perhaps the archive, which can be made again
    rm -f "$archive"
    archive_flags=()
    build_command
    launch
    await_status 2>/dev/null
  fi
fi

if [ "$outcome" != ready ]; then
  end_child 2>/dev/null
  case $outcome in
    failed) ;;
    late) cause="it was not ready within $start_timeout s and has been stopped (CAIRN_START_TIMEOUT)${waiting:+: $waiting}" ;;
    *) cause="its process ended with status $child_status" ;;
  esac
  rm -f "$status_file" "$waiting_file"
  echo "Cairn did not start: $cause" >&2
  if [ "$outcome" != failed ] && [ -z "$waiting" ]; then
    explanation >&2
  fi
  echo "Log: $log" >&2
  exit 1
fi
trap - INT TERM

if [ -n "$archive" ] && [ ! -s "$archive" ]; then # before anything is said to somebody who may not read to the end
  (
    trap '' HUP INT
    record_archive "$child"
  ) </dev/null >>"$log" 2>&1 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&- &
fi
echo "Cairn is ready (pid $child, Java $java_version in $java_home)"
tail -n +2 "$status_file"
echo "Home  $home (conf/ data/ logs/)"
echo "Stop  $home/bin/shutdown.sh"
rm -f "$status_file"
exit 0
