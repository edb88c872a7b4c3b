import importlib.util
import os
import shutil

import lit.formats

config.name = "Partita"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test", ".json"]
config.excludes = ["Inputs"]
# .lit_test_times.txt there lets long tests start first in a build without times of its own.
config.test_source_root = os.path.dirname(__file__)

if config.assertions in ("ON", "1", "TRUE"):
    config.available_features.add("asserts")

if config.sanitizer:
    config.available_features.add("sanitizer")
if config.sanitizer == "thread":
    config.available_features.add("thread-sanitizer")
# A static build has tools/CodeGeneratorStubs.cpp in place of them.
if config.sanitizer or config.static_llvm not in ("ON", "1", "TRUE"):
    config.available_features.add("code-generators")
# Sanitizers bring an allocator whose size glibc can't tell.
config.substitutions.append(("%other-allocator", "--other-allocator" if config.sanitizer else ""))
if config.enable_python in ("ON", "1", "TRUE"):
    config.available_features.add("python")
    config.environment["PYTHONPATH"] = os.path.join(config.obj_root, "python_packages")

if config.enable_runtime in ("ON", "1", "TRUE"):
    config.available_features.add("runtime")

if shutil.which("git"):
    config.available_features.add("git")

# Optional: Playwright drives the browser of the machine.
chromium = shutil.which("chromium")
if chromium and importlib.util.find_spec("playwright"):
    config.available_features.add("chromium")
    config.substitutions.append(("%chromium", chromium))

config.environment["PATH"] = os.pathsep.join(
    [os.path.join(config.obj_root, "bin"), config.llvm_tools, config.mlir_tools, os.environ["PATH"]]
)
# Compiles the examples, which several tests build, once.
if ccache := shutil.which("ccache"):
    for language in ("C", "CXX"):
        config.environment[f"CMAKE_{language}_COMPILER_LAUNCHER"] = ccache
commands = os.path.join(config.obj_root, "python", "commands")
config.substitutions.append(
    ("%{commands-path}", os.pathsep.join([commands, config.environment["PATH"]]))
)
lit_config.load_config(config, os.path.join(config.test_source_root, "sanitizers.cfg.py"))
config.substitutions.append(
    (
        "%cmake-configure",
        f"{config.cmake} -G {config.generator} -DCMAKE_BUILD_TYPE=Release "
        f"-DCMAKE_MAKE_PROGRAM={config.make_program}",
    )
)
config.substitutions.append(("%cmake", config.cmake))
config.substitutions.append(("%mlir_dir", config.mlir_dir))
# The PATH of a terminal in which nobody has set the tools' folder.
config.substitutions.append(("%reader-path", os.environ["PATH"]))
config.substitutions.append(("%obj_root", config.obj_root))
config.substitutions.append(("%python", config.python))
config.substitutions.append(("%source_root", config.source_root))
