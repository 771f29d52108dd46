"""Objects that own what the C API made."""

from ._library import library


class Handle:
    """Destroys `_handle` with the function that `_destroy` names. Nobody else may
    own it, so that copies, of which each would, are refused, and so is what
    would have its number in another process."""

    _destroy = None
    _handle = None

    def __del__(self):
        if self._handle:
            getattr(library(), self._destroy)(self._handle)
            self._handle = None

    def __reduce_ex__(self, protocol):
        raise TypeError(f"expected no copy of astfe.{type(self).__name__}, which "
                        "owns compiled code or packed arrays: make another one "
                        "where it is needed")
