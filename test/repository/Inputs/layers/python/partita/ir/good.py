from typing import TYPE_CHECKING

from .. import errors

if TYPE_CHECKING:
    from ..relax import bad


def f() -> "bad.X":
    return errors
