"""Modules of MLIR text, compiled and run."""

import ctypes

from ._handles import Handle
from ._library import Error, c_text, check, check_pointer, library


class Program(Handle):
    """The text of an MLIR module, compiled for this machine.

    `pipeline`: a textual pass pipeline without "builtin.module(...)"; None is
    astfe-to-cpu. Diagnostics are raised as astfe.Error.
    """

    _destroy = "astfeProgramDestroy"

    def __init__(self, module, pipeline=None):
        text = module.encode()
        self._handle = check_pointer(library().astfeCompile(
            text, len(text), c_text(pipeline, "pipeline") if pipeline else None))

    def address(self, name):
        """The address of a compiled symbol."""
        pointer = library().astfeProgramLookup(self._handle, c_text(name, "name"))
        if not pointer:
            raise Error(f"no symbol '{name}'")
        return pointer

    def invoke(self, name, *arguments):
        """Calls _mlir_ciface_<name> with ctypes objects, each passed by its
        address: the arguments, then room for a scalar result, if there is
        one."""
        pointers = (ctypes.c_void_p * max(len(arguments), 1))()
        for i, argument in enumerate(arguments):
            pointers[i] = ctypes.addressof(argument)
        check(library().astfeProgramInvoke(self._handle, c_text(name, "name"),
                                           pointers))
