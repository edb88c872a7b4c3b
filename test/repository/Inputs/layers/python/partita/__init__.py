from . import ir, relax, tir, transform
