//===- Pass.h - Passes in Python -------------------------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PYTHON_EXTENSION_PASS_H
#define PARTITA_PYTHON_EXTENSION_PASS_H

#include "Module.h"

#include <memory>

namespace partita::python {

/// A PassInfo that owns the objects that it points to.
class InfoHolder {
public:
  InfoHolder(std::string name, int optLevel, std::vector<std::string> required,
             bool reuseRequired)
      : name(std::move(name)), optLevel(optLevel),
        required(std::move(required)), reuseRequired(reuseRequired) {
    for (const std::string &text : this->required)
      refs.push_back(wrap(text));
  }
  InfoHolder(const InfoHolder &) = delete;

  PartitaPassInfo get() const {
    return {wrap(name), optLevel, intptr_t(refs.size()), refs.data(),
            reuseRequired};
  }

private:
  std::string name;
  int optLevel;
  std::vector<std::string> required;
  bool reuseRequired;
  std::vector<MlirStringRef> refs;
};

/// The Python PassInfo of `info`.
nb::object toPython(const PartitaPassInfo &info);

/// The parts of Python's Plan: (pass, depth, reason) for each entry, and the
/// text, with what `context` saves, if it is given.
nb::object describePlan(PartitaPlan plan,
                        PartitaPassContext context = {nullptr});

/// The part of a Python pass that C holds. Its members belong to the Python
/// object of the pass, which runs hold, so that the collector sees all cycles.
struct ModulePassData {
  std::string name;
  nb::object function;
  /// For a pass on functions: their class, and the name of their op.
  nb::object functionClass;
  std::string opName;
  /// The user's text that tells it from other passes of its name.
  std::optional<std::string> version;
  /// What the user says of its effects; see transform::withAlwaysRuns.
  std::optional<bool> alwaysRuns;

  /// The function; an error if the pass has been freed.
  nb::object getFunction() const;
};
/// The user data of a module pass in C.
using ModulePassDataRef = std::shared_ptr<ModulePassData>;

/// A pass; Python's classes of passes derive from it.
struct Pass {
  PartitaPass pass = {nullptr};
  /// Whether it is a Python module pass, or runs only such passes.
  bool isPython = false;
  /// Whether its PassInfo names passes that run before it in a Sequential.
  bool hasRequired = false;
  /// How deep Sequentials are nested in it. C++ visits and frees them
  /// recursively.
  unsigned depth = 0;
  /// The members of a Sequential.
  std::vector<nb::object> members;
  /// Set for a Python module pass.
  ModulePassDataRef data;

  explicit Pass(PartitaPass pass, bool isPython = false,
                bool hasRequired = false)
      : pass(pass), isPython(isPython), hasRequired(hasRequired) {}
  /// A Sequential.
  Pass(const std::vector<Pass *> &passes, const InfoHolder &info);
  /// A module pass that calls a function (mod, ctx) -> mod.
  Pass(nb::callable function, const InfoHolder &info,
       std::optional<std::string> version, std::optional<bool> alwaysRuns);
  /// A pass that calls (func, mod, ctx) -> func on functions of a class and op.
  Pass(nb::callable function, const InfoHolder &info,
       nb::type_object functionClass, const std::string &opName,
       std::optional<std::string> version, std::optional<bool> alwaysRuns);
  Pass(const Pass &) = delete;
  ~Pass() {
    clear();
    partitaPassDestroy(pass);
    collectGarbage();
  }

  void clear() {
    std::vector<nb::object> oldMembers = std::exchange(members, {});
    if (!data)
      return;
    nb::object function = std::exchange(data->function, nb::object());
    nb::object functionClass = std::exchange(data->functionClass, nb::object());
  }

  static constexpr unsigned maxDepth = 200;

private:
  void setFunction(ModulePassData data, PartitaModulePassFunc run,
                   const InfoHolder &info);
};

/// Keeps the exception that a pass's callback has raised, and ends the
/// callback.
MlirLogicalResult failCallback(Run &run);

void bindPasses(nb::module_ &m);

} // namespace partita::python

#endif // PARTITA_PYTHON_EXTENSION_PASS_H
