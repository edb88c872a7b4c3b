#!/bin/sh
# prerequisites.sh PYTHON PRESET: prints a line for each program or file that
# the machine lacks, with its Debian package. Fails if a required one is
# missing.
python=$1
preset=$2
missing=0

lack() {
  echo "$1" >&2
  missing=1
}

if ! command -v "$python" >/dev/null; then
  lack "$python not found: apt-get install python3 python3-venv"
elif ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))'; then
  lack "expected Python 3.10 or newer, found $("$python" --version): make PYTHON=/path/to/python3"
elif ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
  lack "$python has no venv module: apt-get install python3-venv"
elif ! "$python" -c 'import os, sysconfig, sys
sys.exit(not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")))' 2>/dev/null; then
  echo "the headers of $python not found, leaving out the Python package: apt-get install python3-dev" >&2
fi

cxx=${CXX:-c++}
if ! command -v "$cxx" >/dev/null; then
  lack "$cxx not found: apt-get install g++"
elif ! echo '#include <optional>' | "$cxx" -std=c++17 -fsyntax-only -x c++ - 2>/dev/null; then
  lack "expected a C++17 compiler and its library, $cxx is none: apt-get install g++"
fi

if ! [ -e "${GOOGLETEST_DIR:-/usr/src/googletest}/googletest/src/gtest-all.cc" ]; then
  echo "googletest's sources not found, leaving out the unit tests: apt-get install googletest" >&2
fi

if [ "$preset" = debian ]; then
  llvm=/usr/lib/llvm-22
  packages=
  [ -e $llvm/lib/cmake/mlir/MLIRConfig.cmake ] || packages="$packages libmlir-22-dev"
  [ -e $llvm/bin/mlir-tblgen ] || packages="$packages mlir-22-tools"
  [ -e $llvm/lib/cmake/llvm/LLVMConfig.cmake ] || packages="$packages llvm-22-dev"
  [ -e $llvm/bin/FileCheck ] || packages="$packages llvm-22-tools"
  [ -e /usr/include/zlib.h ] || packages="$packages zlib1g-dev"
  [ -e /usr/include/zstd.h ] || packages="$packages libzstd-dev"
  [ -z "$packages" ] || lack "MLIR 22 not found, or not all of it: apt-get install$packages"
fi

exit $missing
