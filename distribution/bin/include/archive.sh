# The start-up archive: classes as the JVM has parsed and linked them once, so that later starts need not. It fits one
# JDK, one set of jars and one set of flags; the name says which, and what does not fit is recorded anew.
# Sourced; expects $home, $java_home, $java_version, $java_feature, $class_path, $main_class, java as it is called,
# jvm_flags, and of these recording_flags, on which an archive depends.
# shellcheck shell=bash disable=SC2154,SC2034

archives=$home/data/aot
training_limit_seconds=600 # at the lowest priority, on a machine that may be busy

# Prints what the archive depends on. The content of our own jars counts, not only their size and time: a build may
# produce another jar of the same length and the same, reproducible, time.
archive_inputs() {
  printf '%s\n' "$home" "$java_home" "${recording_flags[@]}" 'classes without profiles'
  cat "$java_home/release" 2>/dev/null
  stat -c '%n %s %Y' "$home"/lib/*.jar 2>/dev/null || stat -f '%N %z %m' "$home"/lib/*.jar
  cksum "$home"/lib/cairn-*.jar
}

# Sets `archive` to its path, archive_flags to those that use it when it is there and recording_flag to the one that
# writes it, up to the file. A file that does not fit is ignored by the JVM, silently.
choose_archive() {
  local sum
  archive=
  archive_flags=()
  case ${CAIRN_AOT:-on}:${jvm_flags[*]} in
    off:* | *-XX:AOT* | *-XX:SharedArchiveFile* | *-XX:ArchiveClassesAtExit* | *-Xshare:*) return ;;
  esac
  sum=$(archive_inputs 2>/dev/null | cksum)
  sum=${sum%% *}
  if [ "$java_feature" -ge 25 ]; then
    archive=$archives/cairn-java$java_version-$sum.aot
    recording_flag=-XX:AOTCacheOutput=
  else
    archive=$archives/cairn-java$java_version-$sum.jsa
    recording_flag=-XX:ArchiveClassesAtExit=
  fi
  if [ ! -s "$archive" ]; then
    return
  elif [ "$java_feature" -ge 25 ]; then
    archive_flags=("-XX:AOTCache=$archive" -Xlog:aot=off -Xlog:cds=off)
  else
    archive_flags=("-XX:SharedArchiveFile=$archive" -Xshare:auto -Xlog:cds=off -Xlog:cds+dynamic=off)
  fi
}

# Runs the server once for the sake of the archive, at the lowest priority, in a folder of its own; for the background.
# The first seconds belong to the server that has just started, process $1; when it has ended by then, so does this.
# The folder is also the lock: one that is too old for its owner to be alive is taken over.
record_archive() {
  local folder=$archives/training.lock pid status file reason without_profiles=()
  sleep 3
  kill -0 "$1" 2>/dev/null || return
  file=$folder/${archive##*/}
  mkdir -p "$archives" || return
  if ! mkdir "$folder" 2>/dev/null; then
    [ -n "$(find "$folder" -prune -mmin +15 2>/dev/null)" ] || return
    rm -rf "$folder"
    mkdir "$folder" 2>/dev/null || return
  fi
  # Classes, and not what the JIT saw of this short run: compiled by that, the server works dearer than by what it does.
  if [ "$java_feature" -ge 25 ]; then
    without_profiles=(-XX:+UnlockDiagnosticVMOptions -XX:+IgnoreUnrecognizedVMOptions -XX:-AOTRecordTraining)
  fi
  nice -n 19 "${java[@]}" "-Dcairn.home=$folder" "-Djava.io.tmpdir=$folder" "${recording_flags[@]}" \
    "${without_profiles[@]}" "$recording_flag$file" -cp "$class_path" "$main_class" --train </dev/null >"$folder/out" 2>&1 &
  pid=$!
  for ((i = 0; i < training_limit_seconds * 5; i++)); do
    kill -0 "$pid" 2>/dev/null || break
    sleep 0.2
  done
  kill -KILL "$pid" 2>/dev/null
  wait "$pid" 2>/dev/null
  status=$?
  if [ "$status" -eq 0 ] && [ -s "$file" ]; then
    rm -f "$archives"/cairn-java*
    mv "$file" "$archive"
  else
    reason=$(tail -n 1 "$folder/out" 2>/dev/null)
    echo "no start-up archive was recorded (status $status: $reason); the next start tries again unless CAIRN_AOT=off"
  fi
  rm -rf "$folder"
}
