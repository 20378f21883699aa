# The newest suitable JDK of this machine, found without starting one. Sourced.
# shellcheck shell=bash disable=SC2034

oldest_java=17
newest_tested_java=25 # a newer one is taken only where none of the tested ones is

# Sets `java_version` and `java_feature` to those of the JDK in folder $1 (25.0.3 and 25), or `java_feature` to 0.
read_java() {
  local line
  java_version=
  java_feature=0
  [ -x "$1/bin/java" ] || return 0
  if [ -r "$1/release" ]; then
    while IFS= read -r line; do
      case $line in
        JAVA_VERSION=*) java_version=${line#JAVA_VERSION=} ;;
      esac
    done <"$1/release"
  else
    java_version=$("$1/bin/java" -version 2>&1 | sed -n '/version "/{s/.*version "\([^"]*\)".*/\1/p;q;}')
  fi
  java_version=${java_version//[$'"\r']/}
  line=${java_version#1.}
  line=${line%%[!0-9]*}
  java_feature=${line:-0}
}

# Sets `path_java_home` to the JDK of the `java` on the PATH, or to nothing.
find_path_java() {
  local file target
  path_java_home=
  file=$(command -v java 2>/dev/null) || return 0
  case $(uname -s):$file in
    Darwin:/usr/bin/java) return 0 ;; # a stub that offers to install one
  esac
  while [ -L "$file" ]; do
    target=$(readlink "$file")
    case $target in
      /*) file=$target ;;
      *) file=${file%/*}/$target ;;
    esac
  done
  path_java_home=$(cd -P "${file%/*}/.." 2>/dev/null && pwd -P)
  if [ ! -r "$path_java_home/release" ]; then # a version manager's shim: only it knows
    path_java_home=$("$file" -XshowSettings:properties -version 2>&1 | sed -n 's/^ *java\.home = //p')
  fi
}

# Sets `java_home`, `java_version` and `java_feature`; without a suitable JDK `java_home` is empty and `java_problem` says
# why.
find_java() {
  local candidate rank best=0
  java_home=
  if [ -n "${CAIRN_JAVA_HOME:-}" ]; then
    java_home=$(cd "$CAIRN_JAVA_HOME" 2>/dev/null && pwd)
    read_java "${java_home:-$CAIRN_JAVA_HOME}" # not "": that would be the JDK of /bin
    if [ "$java_feature" -lt "$oldest_java" ]; then
      java_problem="CAIRN_JAVA_HOME: $CAIRN_JAVA_HOME is ${java_version:-no JDK} (expected: a JDK $oldest_java or newer)"
      java_home=
    fi
    return
  fi
  find_path_java
  for candidate in "${JAVA_HOME:-}" "$path_java_home" \
    /usr/lib/jvm/* /usr/java/* /opt/* /opt/java/* \
    "${HOME:-}"/.sdkman/candidates/java/* "${HOME:-}"/.jdks/* \
    /Library/Java/JavaVirtualMachines/*/Contents/Home /opt/homebrew/opt/openjdk*; do
    [ -n "$candidate" ] || continue
    read_java "$candidate"
    rank=$java_feature
    if [ "$rank" -gt "$newest_tested_java" ]; then
      rank=1
    elif [ "$rank" -lt "$oldest_java" ]; then
      rank=0
    fi
    if [ "$rank" -gt "$best" ]; then # of equals the first: JAVA_HOME, then the PATH
      best=$rank
      java_home=$(cd "$candidate" && pwd)
    fi
  done
  if [ -z "$java_home" ]; then
    java_problem="no JDK $oldest_java or newer in JAVA_HOME, on the PATH or in the usual places (set CAIRN_JAVA_HOME)"
  fi
  read_java "$java_home"
}
