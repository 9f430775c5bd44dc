#!/bin/sh
# Job submission verifier of the scheduler maui: keeps what is submitted until the
# scheduler has seen it. One process for each worker thread of the master, asked once a
# submission. A word on its standard error would refuse the submission.
while IFS= read -r line; do
    set -f
    set -- $line
    set +f
    case $1 in
    START) hold=n; context=; echo STARTED ;;
    PARAM)
        case $2 in
        h) hold=$3 ;;
        ac) context=$3, ;;
        esac
        ;;
    BEGIN)
        echo "PARAM h u"
        echo "PARAM ac ${context}maui_gate=$hold"
        echo "RESULT STATE CORRECT"
        ;;
    QUIT) exit 0 ;;
    esac
done
