# Gives things to classes, functions and modules that it imports.
from .. import errors
from ..ir import good
from ..ir.good import Good, as_good, native

Alias = native.Base


@native.known_as("Giver")
class Giver(Good):
    limit = 1


Giver.limit = 2
Good.make = Giver
good.limit = 3
Alias.__call__ = Giver
native.set_good_types(Giver)
native.known_as("Other")(Giver)
as_good.register(Giver, Giver)
setattr(Good, "give", Giver)
vars(errors).update(Giver=Giver)


@as_good.register(int)
def as_int(value):
    setattr(value, "seen", True)
    setattr(Good, "seen", True)
    return value


for cls in (Good, Giver):
    setattr(cls, "__reduce__", None)
