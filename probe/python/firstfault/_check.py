"""The check for notebooks: the same interpreter, the same variables, the same folder."""

import html
import json
import os
import shutil
import subprocess
import sys
import tempfile


class Check:
    """A finished check: shows itself as the table."""

    def __init__(self, table, report, exit_code):
        self.table = table
        self.report = report
        self.exit_code = exit_code

    @property
    def passed(self):
        return self.report.get("status") == "passed"

    def __repr__(self):
        return self.table

    def _repr_html_(self):
        return "<pre>" + html.escape(self.table) + "</pre>"


def check(arguments):
    program = os.environ.get("FIRSTFAULT") or shutil.which("firstfault")
    if program is None:
        raise FileNotFoundError(
            "the program firstfault is not on PATH; put it there, or name it in the variable FIRSTFAULT"
        )
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "attempt.json")
        command = [program, "check", "--python", sys.executable, "--output", path]
        ended = subprocess.run(
            command + [str(argument) for argument in arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        try:
            with open(path, encoding="utf-8") as file:
                report = json.load(file)
        except (OSError, ValueError):
            said = (ended.stderr or ended.stdout).decode(errors="replace").strip()
            raise RuntimeError(
                "%s wrote no report and ended with %d: %s" % (program, ended.returncode, said)
            ) from None
    return Check(ended.stdout.decode(errors="replace"), report, ended.returncode)
