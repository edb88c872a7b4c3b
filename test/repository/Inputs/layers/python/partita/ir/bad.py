from . import good


def f():
    from ..transform import context

    return context, good
