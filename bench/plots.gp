# SPDX-License-Identifier: Apache-2.0
# The plots of docs/performance.md; bench/plot.sh prepares the points in the folder `in`.
set terminal svg size 640,400 font "sans-serif,13" background "white"
set logscale xy
set grid xtics ytics linecolor rgb "#d8d8d8"
set border 3
set tics nomirror
set key left top Left reverse spacing 1.2
set format x "%.0s%c"
set lmargin 11
set rmargin 4

set style line 1 linecolor rgb "#1f6fb2" linewidth 2 pointtype 7 pointsize 0.7
set style line 2 linecolor rgb "#c2571a" linewidth 2 pointtype 5 pointsize 0.7
set style line 3 linecolor rgb "#2e7d4f" linewidth 2 pointtype 9 pointsize 0.8
set style line 8 linecolor rgb "#707070" linewidth 1.5 dashtype 2

set ylabel "milliseconds of processor time"

set output "docs/plots/cycle-jobs.svg"
set title "A cycle after one event, EASY, 10,000 nodes"
set xlabel "waiting jobs"
set xrange [800:1250000]
set yrange [0.03:400]
plot in."cycle-jobs" with linespoints linestyle 1 title "median", \
     in."cycle-jobs-p99" with linespoints linestyle 2 title "99th percentile", \
     x * 1e-4 with lines linestyle 8 title "100 ns a job"

set output "docs/plots/cycle-nodes.svg"
set title "A cycle after one event, EASY, 100,000 waiting jobs"
set xlabel "nodes of 8 processors"
set xrange [80:200000]
set yrange [1:100]
plot in."cycle-nodes" with linespoints linestyle 1 title "median", \
     in."cycle-nodes-p99" with linespoints linestyle 2 title "99th percentile"

set output "docs/plots/plan-jobs.svg"
set title "The first full conservative plan"
set xlabel "waiting jobs"
set xrange [800:1250000]
set yrange [0.5:10000]
plot in."plan-jobs" with linespoints linestyle 1 title "10,000 nodes", \
     in."plan-jobs-large" with linespoints linestyle 2 title "160,000 nodes", \
     x * 1e-3 with lines linestyle 8 title "1 µs a job"

set output "docs/plots/memory-jobs.svg"
set title "Memory for a job, 10,000 nodes"
set xlabel "waiting jobs"
set ylabel "bytes a job"
unset logscale y
set yrange [0:3500]
set key right top
plot in."memory-plan" with linespoints linestyle 1 title "planned, every job reserved", \
     in."memory-easy" with linespoints linestyle 2 title "after cycles under EASY", \
     in."memory-queued" with linespoints linestyle 3 title "submitted", \
     1024 with lines linestyle 8 title "1 KB"
