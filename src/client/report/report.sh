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
# What looks like a secret, to the end of the line; and who is named in an address.
without_secrets() {
    sed -E 's/\b([A-Za-z_]*(key|password|passwd|passphrase|secret|token)(file)?(\[[^]]*\])?[[:space:]]*[= :][[:space:]]*)[^[:space:]].*/\1(left out)/I
        s,(://)[^/@[:space:]]*@,\1(left out)@,g'
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
for name in check scheduler managers; do
    without_secrets <"$out/$name" >"$work/clean" && mv "$work/clean" "$out/$name"
done
if [ -n "$config" ] && [ -r "$config" ]; then
    mkdir "$out/config"
    for part in "$config" "$config".d/*.cfg; do
        [ ! -r "$part" ] || without_secrets <"$part" >"$out/config/${part##*/}"
    done
fi
for log in maui.log events.log; do
    [ ! -r "$home/log/$log" ] || tail -n 2000 "$home/log/$log" | without_secrets >"$out/$log"
done
cat >"$out/LEFT-OUT" <<'TXT'
Not in this report:
- maui-private.cfg, and files with keys
- in maui.cfg and the logs: what stands behind names that end in key, password, secret,
  token and the like, and who is named in an address
- scripts, environments and outputs of jobs
- the state and its journal. With the journal a decision can be done again:
      maui replay --format json >journal.json
  It has names of users and jobs, what they asked for, and their scripts and environments:
  look through it before you give it to anybody.
Names of users, jobs, nodes and accounts are in it.
TXT
tar -C "$work" -czf "$work/report.tar.gz" maui-report
mv "$work/report.tar.gz" "$file"
echo "$file: look through it before you send it (tar -tzf lists it)."
cat "$out/LEFT-OUT"
