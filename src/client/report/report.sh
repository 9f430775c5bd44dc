# SPDX-License-Identifier: Apache-2.0
# maui report: what the report of a bug needs, in one file, without secrets. $1 = the
# program, $2 = the file to write, or nothing.
# shellcheck shell=bash
set -euo pipefail
program=$1 file=${2:-maui-report-$(date +%Y%m%d-%H%M%S).tar.gz}
umask 077
if [ -e "$file" ]; then
    echo "maui report: $file is there already; -o names another" >&2
    exit 1
fi
work=$(mktemp -d "${TMPDIR:-/tmp}/maui-report-XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
out=$work/maui-report
mkdir "$out"
export CLIENTTIMEOUT=${CLIENTTIMEOUT:-5} LC_ALL=C

# A scheduler that hangs is told of as well: each command has its time.
collect() { # NAME COMMAND...
    local name=$1 rc=0
    shift
    { printf '$ %s\n' "${*/#"$program"/maui}" && timeout 30 "$@"; } >"$out/$name" 2>&1 </dev/null || rc=$?
    [ "$rc" -eq 0 ] || printf '[exit status %s]\n' "$rc" >>"$out/$name"
}
# What looks like a secret, to the end of the line, which may be continued; and who is
# named in an address. BYPASSWEIGHT and the like are no passwords.
before='[A-Za-z0-9_.-]*'
words="$before(key|passw(or)?d|passphrase|pwd|secret|token|credential|authorization|bearer)[A-Za-z0-9_]*"
words="$words|($before([A-XZ0-9_.-]|[AC-Z0-9_.-]Y))?pass[0-9_]*"
without_secrets() {
    sed -e ':more' -e '/\\$/{N; s/\\\n//; t more' -e '}' \
        | sed -E "s/\b(($words)(\[[^]]*\])?\\\\?[\"']?[[:space:]]*[=:> ][[:space:]]*)[^[:space:]].*/\1(left out)/I
        s,(://)[^/[:space:]]*@,\1(left out)@,g"
}
missing=()
take() { # FILE NAME COMMAND...: of a plain file alone, which nothing else stands behind
    local from=$1 to=$2
    shift 2
    if [ -f "$from" ] && [ ! -L "$from" ] && [ -r "$from" ]; then
        timeout 30 "$@" <"$from" >"$out/$to" || true
    else
        missing+=("$from")
    fi
}

about=$("$program" showq --about 2>&1 || true)
home=$(sed -n "s/^home: *'\(.*\)'$/\1/p" <<<"$about")
config=$("$program" check 2>&1 | sed -n '1s/:.*//p' || true)
printf '%s\n' "$about" >"$out/about"
collect machine uname -a
{ cat /etc/os-release 2>/dev/null; nproc; free -m; df -h "${home:-/}"; ps -o pid,etime,time,rss,args -C maui-serve; } \
    >>"$out/machine" 2>&1 || true
collect check "$program" check
collect scheduler "$program" diagnose -S
collect managers "$program" diagnose -R
collect queue "$program" showq
collect blocked "$program" diagnose -q
collect jobs "$program" diagnose -j
collect priorities "$program" diagnose -p
collect nodes "$program" diagnose -n
collect reservations "$program" diagnose -r
collect statistics "$program" showstats -v
mkdir "$out/config"
if [ -n "$config" ] && [ -f "$config" ] && [ -r "$config" ]; then
    for part in "$config" "$config".d/*.cfg; do
        [ ! -f "$part" ] || [ ! -r "$part" ] || timeout 30 cat "$part" >"$out/config/${part##*/}" || true
    done
else
    missing+=("${config:-maui.cfg}")
fi
for log in maui.log events.log; do
    take "$home/log/$log" "$log" tail -n 2000
done
for part in "$out"/* "$out"/config/*; do
    [ ! -f "$part" ] || { without_secrets <"$part" >"$work/clean" && mv "$work/clean" "$part"; }
done
cat >"$out/LEFT-OUT" <<'TXT'
Not in this report:
- maui-private.cfg, and files with keys
- in all files: what stands behind names that end in key, password, secret,
  token and the like, and who is named in an address
- scripts, environments and outputs of jobs
- the state and its journal. With the journal a decision can be done again:
      maui replay --format json >journal.json
  It has names of users and jobs, what they asked for, and their scripts and environments:
  look through it before you give it to anybody.
Names of users, jobs, nodes and accounts are in it.
TXT
[ "${#missing[@]}" -eq 0 ] || printf 'Not found, or no plain file: %s\n' "${missing[@]}" | without_secrets >>"$out/LEFT-OUT"
tar -C "$work" -czf "$work/report.tar.gz" maui-report
mv -T -- "$work/report.tar.gz" "$file"
echo "$file: look through it before you send it (tar -tzf lists it)."
cat "$out/LEFT-OUT"
