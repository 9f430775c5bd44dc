# SPDX-License-Identifier: Apache-2.0
# maui demo: a scheduler of its own in a folder of its own, with real jobs on this
# machine presented as four nodes. $1 = the program, $2 = how long a work unit is, in
# seconds; $3 = "keep": a livelier workload, until it is interrupted; $4 = "web": tell the
# address of the page. Needs no root, leaves nothing behind, takes well under a minute.
# shellcheck shell=bash
set -euo pipefail
program=$1 unit=${2:-1} keep=${3:-} web=${4:-}
home=$(mktemp -d "${TMPDIR:-/tmp}/maui-demo-XXXXXX")
export MAUIHOMEDIR=$home LC_ALL=C
unset SERVERHOMEDIR SERVERHOST SERVERPORT SERVERCONFIGFILE

maui() { "$program" "$@"; }

finish() {
    trap - EXIT INT TERM
    maui canceljob ALL >/dev/null 2>&1 || true
    pid=$(cat "$home/maui.pid" 2>/dev/null || true)
    maui schedctl -k >/dev/null 2>&1 || { [ -n "$pid" ] && kill "$pid" 2>/dev/null; } || true
    for _ in $(seq 100); do
        [ -n "$pid" ] && kill -0 "$pid" 2>/dev/null || break
        sleep 0.1
    done
    rm -rf "$home"
}
trap finish EXIT
trap 'exit 1' INT TERM

# Say what is done, do it, show what comes.
show() {
    printf '\n$ maui %s\n' "$*"
    maui "$@" | sed 's/^/    /'
}
tell() { printf '\n== %s\n' "$*"; }
nap() { sleep "$(awk "BEGIN { print $1 * $unit }")"; }
# submit NAME ACCOUNT CLASS RESOURCES UNITS: prints the id
submit() {
    printf '#!/bin/sh\nsleep %s\necho done\n' "$(awk "BEGIN { print $5 * $unit }")" |
        maui msub -d "$home" -N "$1" -A "$2" -q "$3" -j oe -l "$4"
}

# The page of this scheduler, where it was built with one.
tell_page() {
    local address
    [ -n "$web" ] && address=$(maui dashboard --no-open 2>/dev/null) || return 0
    printf '\n    In a browser, as long as this runs (the address serves once, within a minute):\n'
    printf '    %s\n' "$(head -n 1 <<<"$address")"
}

# ---- maui demo --keep ----

# One more job of those that come and go: short and wide ones, long and narrow ones. Some
# are of another QOS, a few wait for the one before, and a few fail.
submit_any() {
    local accounts=(physics biology chemistry) classes=(small large large express)
    local names=(model sweep fold render mesh train post assemble)
    local procs=$((1 << (RANDOM % 6))) seconds=$((15 + RANDOM % 75)) class account more=()
    class=${classes[RANDOM % 4]} account=${accounts[RANDOM % 3]}
    # biology may not have more than 24 at once
    [ "$account $procs" != "biology 32" ] || procs=24
    [ "$class" = large ] || procs=$((1 + RANDOM % 4))
    [ "$account" != physics ] || [ $((RANDOM % 5)) -ne 0 ] || more+=(-l qos=high)
    [ -z "$last" ] || [ $((RANDOM % 8)) -ne 0 ] || more+=(-W "depend=afterany:$last")
    last=$(printf '#!/bin/sh\nsleep %s\nexit %s\n' "$(awk "BEGIN { print $seconds * $unit }")" \
        $((RANDOM % 12 == 0)) |
        maui msub -d "$home" -N "${names[RANDOM % 8]}$((RANDOM % 90))" \
            -A "$account" -q "$class" -o /dev/null -e /dev/null "${more[@]}" \
            -l "procs=$procs,walltime=$((seconds + RANDOM % 60))") || last="" # that one is forgotten
}

# One of those that wait is held by its owner; the one that was held before goes on.
hold_one() {
    local next
    [ -z "$held" ] || maui releasehold -u "$held" >/dev/null 2>&1 || true
    next=$(maui showq -i | awk '$1 ~ /^[0-9]+[*]?$/ { id = $1 } END { sub(/[*]/, "", id); print id }')
    [ -z "$next" ] || maui sethold -u "$next" >/dev/null 2>&1 || true
    held=$next
}

# Somebody needs two nodes now, and who was promised a start waits longer.
break_promise() {
    maui releaseres 'urgent.*' >/dev/null 2>&1 || true
    maui setres -n urgent -a chemistry -s +5 -d 00:03:00 'node0[5-6]' >/dev/null 2>&1 || true
}

# One that has to be complete by then.
submit_urgent() {
    local id
    id=$(submit report chemistry large procs=8,walltime=60 20)
    maui setdeadline "$id" +00:10:00 >/dev/null 2>&1 || true
}

keep_on() {
    local turn=0 there wide held="" last=""
    cat >"$home/maui.cfg" <<'CFG'
QUEUETIMEWEIGHT    1
XFACTORWEIGHT      10
FSPOLICY           DEDICATEDPS
FSINTERVAL         00:10:00
FSDEPTH            6
FSWEIGHT           10
FSACCOUNTWEIGHT    10
ACCOUNTCFG[physics] FSTARGET=50
ACCOUNTCFG[biology] FSTARGET=30 MAXPROC=24
ACCOUNTCFG[chemistry] FSTARGET=20
BACKFILLPOLICY     FIRSTFIT
RESERVATIONPOLICY  CURRENTHIGHEST
RESERVATIONDEPTH   8
CLASSCFG[small]    MAXPROC=8
CLASSWEIGHT        1
QOSWEIGHT          1
CLASSCFG[express]  PRIORITY=1000
SRCFG[express]     PERIOD=INFINITY TASKCOUNT=4 RESOURCES=PROCS:1 CLASSLIST=express
SRCFG[night]       PERIOD=DAY STARTTIME=20:00:00 ENDTIME=24:00:00 DEPTH=7 TASKCOUNT=16 RESOURCES=PROCS:1 ACCOUNTLIST=physics
QOSCFG[high]       PRIORITY=2000
ACCOUNTCFG[physics] QLIST=high
CFG
    tell "a scheduler, sixteen nodes of four processors, and work that comes and goes"
    maui serve --nodes 16x4
    maui setres -n patch -s +00:30:00 -d 1:00:00 'node0[1-4]' >/dev/null || true
    maui setres -n course -a chemistry -s +00:10:00 -d 2:00:00 'node1[3-6]' >/dev/null || true
    for _ in $(seq 30); do submit_any; done
    hold_one
    submit_urgent
    wide=$(submit wide physics large procs=56,walltime=120 60)
    tell "Ctrl-C ends it, and leaves nothing behind; until then, in another terminal:"
    printf '    export MAUIHOMEDIR=%s\n    %s showq\n' "$home" "$program"
    tell_page
    while sleep 2; do
        there=$(maui showq | grep -c '^[0-9]' || true) # nothing where Ctrl-C ended it
        [ "${there:-99}" -ge 45 ] || submit_any
        turn=$((turn + 1))
        [ $((turn % 15)) -ne 0 ] || hold_one
        [ $((turn % 90)) -ne 15 ] || break_promise
        [ $((turn % 120)) -ne 0 ] || submit_urgent
        [ -n "$(maui checkjob "$wide" 2>/dev/null)" ] || wide=$(submit wide physics large procs=56,walltime=120 60)
        # nobody took it, and it is over: another one
        if [ $((turn % 30)) -eq 0 ] && maui dashboard --sessions 2>/dev/null |
            grep -q '^no sessions'; then tell_page; fi
    done
}

if [ -n "$keep" ]; then
    trap 'exit 0' INT TERM
    keep_on
    exit
fi

cat >"$home/maui.cfg" <<'CFG'
# Long waits count, and who had less than the target.
QUEUETIMEWEIGHT    1
XFACTORWEIGHT      10
FSPOLICY           DEDICATEDPS
FSINTERVAL         00:10:00
FSDEPTH            6
FSWEIGHT           10
FSACCOUNTWEIGHT    10
ACCOUNTCFG[physics] FSTARGET=60
ACCOUNTCFG[biology] FSTARGET=40

# The first two that wait are promised a start, the others may fill the gaps.
BACKFILLPOLICY     FIRSTFIT
RESERVATIONPOLICY  CURRENTHIGHEST
RESERVATIONDEPTH   2

# Nobody has more than four processors in class small.
CLASSCFG[small]    MAXPROC=4

# Two processors are kept for class express at all times.
SRCFG[express]     PERIOD=INFINITY TASKCOUNT=2 RESOURCES=PROCS:1 CLASSLIST=express
CFG

tell "a scheduler, four nodes of two processors, and this configuration"
grep -v '^$' "$home/maui.cfg" | sed 's/^/    /'
maui serve --nodes 4x2
tell_page
show showres

tell "twelve jobs of two accounts in three classes, while scheduling is stopped"
show schedctl -s
example=(-l nodes=1:ppn=2,walltime=60 -A biology -q small -N sweep0 -d "$home" -j oe)
printf '\n$ maui msub %s -- sleep 5\n' "${example[*]}"
maui msub "${example[@]}" -- sleep "$(awk "BEGIN { print 5 * $unit }")" | sed 's/^/    /'
printf '    ... and eleven more like it\n'
for i in 1 2; do submit "sweep$i" biology small nodes=1:ppn=2,walltime=60 5; done >/dev/null
big=$(submit model physics large nodes=4,walltime=120 4)
for i in 4 5 6; do submit "fill$i" physics large procs=1,walltime=4 2; done >/dev/null
for i in 7 8; do submit "post$i" biology large procs=2,walltime=60 3; done >/dev/null
submit quick physics express procs=1,walltime=60 3 >/dev/null
first=$(submit make physics large procs=1,walltime=30 2)
printf '#!/bin/sh\necho after\n' | maui msub -d "$home" -N after -A physics -q large \
    -l procs=1,walltime=30 -W "depend=afterok:$first" >/dev/null
show schedctl -r
nap 1
show showq

tell "why does a job wait?"
show showq -b
blocked=$(maui showq -b | awk '$1 ~ /^[0-9]+$/ && NF > 2 { print $1; exit }')
show checkjob "${blocked:-$big}"

tell "the machine is wanted for an hour, tomorrow: reserved, and released again"
show setres -n patch -s +24:00:00 -d 1:00:00 ALL
show showres
show releaseres "$(maui showres | awk '$1 ~ /^patch\./ { print $1 }')"

nap 4
tell "a moment later"
show showq

tell "until all is done"
for _ in $(seq 300); do
    maui showq | grep -q '^Total Jobs: 0 ' && break
    sleep 0.2
done
show showq
printf '\n    %s of 12 jobs left their output in the folder\n' \
    "$(find "$home" -maxdepth 1 -name '*.o*' | wc -l)"
show diagnose -f
if maui --help | grep -q '^  showstats '; then show showstats; fi

tell "stopped; nothing is left behind. What to try next:"
cat <<TXT
    maui=$program
    \$maui serve --nodes 4x2                    a scheduler of your own; state in ~/.maui
    \$maui msub -l nodes=1,walltime=1:00 -- sleep 30
    \$maui showq; \$maui checkjob 1; \$maui schedctl -k
    \$maui sim --generate 30d --nodes 64x8 -c examples/site.cfg
                                                a month of work in a second
    \$maui check -c MY-maui.cfg                 is the configuration of your site right?
TXT
