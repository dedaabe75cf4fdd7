"""Marks the stages of a program for ``firstfault run``.

Outside of it (the variable ``FIRSTFAULT_MARKERS`` is not set) every function does nothing and costs next to nothing.
Only the standard library is imported, and PyTorch is looked at only where the program has imported it itself.
"""

import os as _os

__all__ = ["check", "model", "parameters", "stage", "tensor"]
__version__ = "0.1.0"


def check(*arguments):
    """Runs ``firstfault check`` on this very Python and environment.

    Further ``arguments`` are those of the command line, for example ``check("--device", "cpu")``. What comes back shows
    itself as the table, and has the report as the dictionary ``report`` and the exit code as ``exit_code``.
    """
    from ._check import check as run

    return run(arguments)


if _os.environ.get("FIRSTFAULT_MARKERS"):
    from ._marks import model, parameters, stage, tensor
else:

    class _Nothing:
        __slots__ = ()

        def __enter__(self):
            return self

        def __exit__(self, kind, value, traceback):
            return None

        def __call__(self, function):
            return function

    _NOTHING = _Nothing()

    def stage(name, kind=None):
        """A named step, as a context manager or a decorator."""
        return _NOTHING

    def tensor(name, value):
        """Notes shape, number format and device of a tensor."""

    def parameters(**values):
        """Notes parameters of this run."""

    def model(module):
        """Notes a model, whose mode is looked at in every compute stage."""
