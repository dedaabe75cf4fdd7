"""A program of many passes. Without an argument it says how long one round of work takes; with one, it does that many rounds.

`marks` instead measures what a pair of marks costs, in microseconds: the best of many tries, since other work on the machine
must not count.
"""

import sys
import time

import firstfault


def work():
    total = 0
    for number in range(200_000):
        total += number
    return total


def marks():
    began = time.perf_counter()
    for _ in range(2000):
        with firstfault.stage("compute", kind="compute"):
            pass
    return (time.perf_counter() - began) / 2000 * 1e6


if sys.argv[1:] == ["marks"]:
    print(min(marks() for _ in range(60)))
elif sys.argv[1:]:
    for _ in range(int(sys.argv[1])):
        with firstfault.stage("compute", kind="compute"):
            work()
else:
    began = time.perf_counter()
    for _ in range(100):
        work()
    print((time.perf_counter() - began) / 100)
