from .bad import g
