#!/bin/sh
# Job submission verifier of the scheduler maui: keeps what is submitted until the
# scheduler has seen it, by a start time in 2038; by a hold where the user named a time.
# One process for each worker thread of the master, asked once a submission. A word on its
# standard error would refuse the submission. What a user wrote is printed as it is (echo
# would read \\n in it) and not at length: the master has room for 10,000 bytes.

# Of two the last counts; a quote in what the user wrote may have eaten that one.
mark() {
    printf '%s\n' "PARAM ac $1${context:+,$context,$1}" "RESULT STATE CORRECT"
}

while IFS= read -r line; do
    set -f
    set -- $line
    set +f
    case $1 in
    START)
        hold=n
        time=
        context=
        printf 'STARTED\n'
        ;;
    PARAM)
        case $2 in
        h) hold=$3 ;;
        a | ar) time=y ;; # a reservation is over by 2038
        ac) context=${line#PARAM ac } ;;
        esac
        ;;
    BEGIN)
        if [ ${#context} -gt 2000 ]; then
            printf 'RESULT STATE REJECT the context (-ac) has more than 2000 characters\n'
        elif [ "$time" ]; then
            printf '%s\n' "PARAM h u"
            mark maui_gate=$hold
        else
            printf '%s\n' "PARAM a 203801010000.00"
            mark maui_gate=a
        fi
        ;;
    QUIT) exit 0 ;;
    esac
done
