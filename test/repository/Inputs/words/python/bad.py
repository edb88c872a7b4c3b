"""Says what a pass is for."""

# These are
# of the same module.
