# The start-up archive: classes as the JVM has parsed and linked them once, so that later starts need not. It fits one
# JDK, one set of jars and one set of flags; the name says which, and what does not fit is recorded anew.
# Sourced; expects $home, $java_home, $java_version, $java_feature, $class_path, $main_class, java as it is called,
# jvm_flags, and of these recording_flags, on which an archive depends. Needs is_gone of instance.sh.
# shellcheck shell=bash disable=SC2154,SC2034

training=
training_pid=
archives=$home/data/aot # those that starts record
brought_archives=$home/aot # those that were recorded on purpose, for an image or a package
training_cpu_seconds=600 # of one process; some 20 are needed. A busy machine may take hours to grant them
training_wall_seconds=86400 # in which it ends in any case

# Prints a flag as far as an archive depends on it: of the size of the heap only whether it is too large for short pointers.
archive_flag() {
  local size=
  case $1 in
    -Xms* | -Xmn*) return ;;
    -Xmx*[gG])
      size=${1#-Xmx}
      size=$((${size%[gG]} * 1024))
      ;;
    -Xmx*[mM])
      size=${1#-Xmx}
      size=${size%[mM]}
      ;;
    -Xmx*) ;;
    *)
      echo "$1"
      return
      ;;
  esac
  if [ -z "$size" ]; then
    echo "$1"
  elif [ "$size" -ge 32000 ]; then
    echo 'a large heap'
  fi
}

# Prints what the archive depends on. The content of our own jars counts, not only their size and time: a build may
# produce another jar of the same length and the same, reproducible, time.
archive_inputs() {
  local flag
  printf '%s\n' "$home" "$java_home" 'classes without profiles'
  for flag in "${recording_flags[@]}"; do
    archive_flag "$flag"
  done
  cat "$java_home/release" 2>/dev/null
  stat -c '%n %s %Y' "$home"/lib/*.jar 2>/dev/null || stat -f '%N %z %m' "$home"/lib/*.jar
  cksum "$home"/lib/cairn-*.jar
}

# Sets `archive` to its path, archive_flags to those that use it when it is there and recording_flag to the one that
# writes it, up to the file. A file that does not fit is ignored by the JVM, silently.
choose_archive() {
  local sum name
  archive=
  archive_flags=()
  case ${CAIRN_AOT:-on}:${jvm_flags[*]} in
    off:* | *-XX:AOT* | *-XX:SharedArchiveFile* | *-XX:ArchiveClassesAtExit* | *-Xshare:*) return ;;
  esac
  sum=$(archive_inputs 2>/dev/null | cksum)
  sum=${sum%% *}
  if [ "$java_feature" -ge 25 ]; then
    name=cairn-java$java_version-$sum.aot
    recording_flag=-XX:AOTCacheOutput=
  else
    name=cairn-java$java_version-$sum.jsa
    recording_flag=-XX:ArchiveClassesAtExit=
  fi
  archive=$archives/$name
  if [ -s "$brought_archives/$name" ]; then
    archive=$brought_archives/$name
  elif [ ! -s "$archive" ]; then
    return
  fi
  if [ "$java_feature" -ge 25 ]; then
    archive_flags=("-XX:AOTCache=$archive" -Xlog:aot=off -Xlog:cds=off)
  else
    archive_flags=("-XX:SharedArchiveFile=$archive" -Xshare:auto -Xlog:cds=off -Xlog:cds+dynamic=off)
  fi
}

# Whether a recording may go on: process $1, the server for whose sake it is done or the script that was asked for it,
# is alive, and so is the installation.
may_train() {
  ! is_gone "$1" && [ -d "$home/lib" ] && [ -d "$training" ]
}

# Whether the lock's owner is known to have ended.
has_no_owner() {
  local host owner
  { read -r host owner <"$training/owner"; } 2>/dev/null && [ "$host" = "${HOSTNAME:-}" ] && is_gone "$owner"
}

# Runs the server once for the sake of `archive`, in a folder of its own, by the command "$@" before that of the JVM.
# Sets `recorded` to yes, or to nothing and `reason` to why not. Process $1 is the one without which this ends.
# The folder is also the lock. Its owner touches it every few seconds and stands in it: one that is older, or whose owner on
# this machine has ended, is taken over.
train() {
  local watched=$1 seconds=0 script status file ending='' without_profiles=()
  shift
  script=$(exec sh -c 'echo "$PPID"') # this shell, which may be a background one that $$ does not name
  recorded=
  reason=
  training=${archive%/*}/training.lock
  file=$training/${archive##*/}
  mkdir -p "${archive%/*}" || return
  if ! mkdir "$training" 2>/dev/null; then
    if ! has_no_owner && [ -z "$(find "$training" -prune -mmin +2 2>/dev/null)" ]; then
      reason="another recording is under way in $training"
      return
    fi
    rm -rf "$training"
    if ! mkdir "$training"; then
      reason="$training cannot be made"
      return
    fi
  fi
  echo "${HOSTNAME:-} $script" >"$training/owner"
  # Classes, and not what the JIT saw of this short run: compiled by that, the server works dearer than by what it does.
  if [ "$java_feature" -ge 25 ]; then
    without_profiles=(-XX:+UnlockDiagnosticVMOptions -XX:+IgnoreUnrecognizedVMOptions -XX:-AOTRecordTraining)
  fi
  set -m # so that the JVM and the one that it starts itself to write the archive are a process group
  (
    ulimit -c 0
    ulimit -t "$training_cpu_seconds" # the JVM writes the archive in a process of its own, which has as much
    exec "$@" "${java[@]}" "-Dcairn.home=$training" "-Djava.io.tmpdir=$training" "-Dcairn.train-for=$watched,$script" \
      "${recording_flags[@]}" "${without_profiles[@]}" "$recording_flag$file" -cp "$class_path" "$main_class" --train
  ) </dev/null >"$training/out" 2>&1 &
  training_pid=$!
  set +m
  while ! is_gone "$training_pid"; do
    if ! may_train "$watched"; then
      ending='its server has ended'
      break
    elif [ "$seconds" -ge "$training_wall_seconds" ]; then
      ending="it took longer than $training_wall_seconds s"
      break
    fi
    [ $((seconds % 10)) -ne 0 ] || touch -c "$training"
    sleep 1
    seconds=$((seconds + 1))
  done
  kill -KILL -- "-$training_pid" 2>/dev/null
  { wait "$training_pid"; } 2>/dev/null
  status=$?
  if [ -n "$ending" ]; then
    reason=$ending
  elif [ "$status" -eq 0 ] && [ -s "$file" ] && may_train "$watched"; then
    rm -f "${archive%/*}"/cairn-java*
    mv "$file" "$archive" && recorded=yes
  else
    reason="status $status: $(tail -n 1 "$training/out" 2>/dev/null)"
  fi
  rm -rf "$training"
}

# For the background, at the lowest priority. The first seconds belong to the server that has just started, process $1.
record_archive() {
  local pause second
  for pause in 3 60 300; do # again where a machine was too busy, or an earlier recording had left its lock
    for ((second = 0; second < pause; second++)); do
      sleep 1
      if is_gone "$1" || [ ! -d "$home/lib" ]; then
        return
      fi
    done
    train "$1" nice -n 19
    [ -z "$recorded" ] || return
  done
  [ ! -d "$home/lib" ] || echo "no start-up archive was recorded ($reason); the next start tries again unless CAIRN_AOT=off"
}

# For --record-archive, in the foreground. Ends the script.
record_on_purpose() {
  if [ -z "$archive" ]; then
    fail_recording "CAIRN_AOT=off, or JVM flags that choose an archive, exclude it"
  elif [ -s "$archive" ]; then
    echo "$archive fits already"
    exit 0
  fi
  if mkdir -p "$brought_archives" 2>/dev/null && [ -w "$brought_archives" ]; then
    archive=$brought_archives/${archive##*/}
  fi
  trap 'kill -KILL -- "-$training_pid" 2>/dev/null; rm -rf "$training"; exit 130' INT TERM
  train $$
  trap - INT TERM
  [ -n "$recorded" ] || fail_recording "$reason"
  echo "$archive was recorded; starts with the same JDK and flags use it"
  exit 0
}

fail_recording() {
  echo "startup.sh: no start-up archive was recorded: $1" >&2
  exit 1
}
