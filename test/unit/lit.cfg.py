import os

import lit.formats

config.name = "Partita-Unit"
config.test_format = lit.formats.GoogleTest(".", "Tests")
# The tests are programs in the build's folders.
config.test_source_root = config.test_exec_root
lit_config.load_config(config, os.path.join(os.path.dirname(__file__), "..", "sanitizers.cfg.py"))
