# SPDX-License-Identifier: Apache-2.0
# docs/plots/search.svg of docs/plots/search.tsv, which holds figures of bench/search.py:
# gnuplot bench/search.gp
set terminal svg noenhanced size 640,400 font "sans-serif,13" background "white"
set grid ytics linecolor rgb "#d8d8d8"
set border 3
set tics nomirror
set xtics scale 0
set key left top Left reverse spacing 1.2
set style data histograms
set style histogram cluster gap 1
set style fill solid 0.85 noborder
set boxwidth 0.9
set yrange [0:2]
set ylabel "relative to EASY"
set datafile separator "\t"
set output "docs/plots/search.svg"
set title "Search for a plan, without priorities of a site"
plot "docs/plots/search.tsv" \
        using 2:xtic(1) every ::1 linecolor rgb "#1f6fb2" title "mean slowdown", \
     "" using 3 every ::1 linecolor rgb "#2e7d4f" title "mean wait", \
     "" using 4 every ::1 linecolor rgb "#c2571a" title "99 of 100 wait less", \
     "" using 5 every ::1 linecolor rgb "#7a4fa0" title "longest wait", \
     1 with lines linecolor rgb "#707070" dashtype 2 title "EASY"
