"""Runs one command and says what it cost: `child.py OUT ERR COMMAND...` prints code, cpu, wall and peak as JSON.

A script of its own, and a bare one: a process's peak memory, as the kernel reports it, is never less than that of
the process that started it. Writes what the command prints into the files OUT and ERR.
"""

import json
import os
import sys
import time

_PEAK_UNIT = 1 if sys.platform == "darwin" else 1024  # bytes of one unit of ru_maxrss


def main(out: str, err: str, *command: str) -> None:
    write = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, out, write, 0o600),
        (os.POSIX_SPAWN_OPEN, 2, err, write, 0o600),
    ]
    began = time.perf_counter()
    pid = os.posix_spawn(command[0], command, os.environ, file_actions=actions)
    _, status, used = os.wait4(pid, 0)
    figures = {
        "code": os.waitstatus_to_exitcode(status),
        "cpu": used.ru_utime + used.ru_stime,
        "wall": time.perf_counter() - began,
        "peak": used.ru_maxrss * _PEAK_UNIT,
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main(*sys.argv[1:])
