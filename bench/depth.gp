# SPDX-License-Identifier: Apache-2.0
# The plots of RESERVATIONDEPTH; bench/depth.py prepares the points in the folder `in`:
# place, depth, and busy, mean wait, p99 wait, mean slowdown relative to depth 1.
set terminal svg size 640,400 font "sans-serif,13" background "white"
set grid ytics linecolor rgb "#d8d8d8"
set border 3
set tics nomirror
set key left top Left reverse spacing 1.2
set xlabel "RESERVATIONDEPTH"
set xrange [-0.2:5.2]
set lmargin 11
set rmargin 4

set style line 1 linecolor rgb "#1f6fb2" linewidth 2 pointtype 7 pointsize 0.7
set style line 2 linecolor rgb "#c2571a" linewidth 2 pointtype 5 pointsize 0.7
set style line 3 linecolor rgb "#2e7d4f" linewidth 2 pointtype 9 pointsize 0.8
set style line 4 linecolor rgb "#7a4fa0" linewidth 2 pointtype 11 pointsize 0.8

names = "SDSC-SP2 KTH-SP2 lublin_256 generated"

set ylabel "relative to depth 1"
set output "docs/plots/depth-wait.svg"
set title "Mean wait, at the load of the workload"
plot for [i=1:4] in.word(names, i)."-own" using 1:4:xtic(2) with linespoints \
    linestyle i title word(names, i) noenhanced

set output "docs/plots/depth-p99.svg"
set title "The wait that 99 of 100 jobs stay below, at the load of the workload"
plot for [i=1:4] in.word(names, i)."-own" using 1:5:xtic(2) with linespoints \
    linestyle i title word(names, i) noenhanced

set output "docs/plots/depth-busy.svg"
set title "Work done while jobs came, load raised to ".raised
set key left bottom
set format y "%.3f"
plot for [i=1:4] in.word(names, i)."-".raised using 1:3:xtic(2) with linespoints \
    linestyle i title word(names, i) noenhanced
