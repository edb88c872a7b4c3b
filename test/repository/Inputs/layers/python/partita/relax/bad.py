def g():
    from .worse import h

    return h


from .. import __version__
from ..tir import function
