# What nanobind's stub generator can't see: where the extension takes or gives
# objects of classes that are written in Python. See nanobind's documentation of
# pattern files.

_partita\.Module\.__init__:
    \from partita.mlir import ir as ir
    def __init__(self, operation: ir.Operation | ir.OpView) -> None: ...

_partita\.Module\.operation:
    @property
    def operation(self) -> ir.Operation: ...

_partita\.Module\._find:
    def _find(self, name: str) -> ir.Operation | None: ...

_partita\.Module\._set_operation:
    def _set_operation(self, operation: ir.Operation | ir.OpView) -> None: ...

_partita\.get_run_context:
    def get_run_context() -> ir.Context | None: ...

_partita\.(is_broken|use_forkable_threads):
    def \1(context: ir.Context, /) -> Any: ...

_partita\.get_address:
    def get_address(operation: ir.Operation, /) -> int: ...

_partita\.Elements\.__init__:
    def __init__(self, elements: ir.Attribute) -> None: ...

_partita\.TensorHolder\.__init__:
    def __init__(self, module: ir.Operation) -> None: ...

_partita\.make_tensor$:
    def make_tensor(type: ir.Type, data: object, alignment: int, /) -> ir.Attribute: ...

_partita\.get_bytes:
    def get_bytes(elements: ir.Attribute, /) -> bytes: ...

_partita\.adopt_resources:
    def adopt_resources(operation: ir.Operation, /) -> None: ...

_partita\.save:
    def save(operation: ir.Operation, /) -> tuple[str, list[tuple[str, int, bytes]]]: ...

_partita\.load:
    def load(context: ir.Context, text: str, tensors: list[tuple[str, int, bytes]]) -> ir.Operation: ...

_partita\.import_tvm_json:
    def import_tvm_json(context: ir.Context, json: str, strict: bool = False, warns: bool = True) -> ir.Operation: ...

_partita\.export_tvm_json:
    def export_tvm_json(module: ir.Operation) -> str: ...

_partita\.translate_to_llvmir:
    def translate_to_llvmir(module: ir.Operation) -> bytes: ...

_partita\.register_dialects:
    def register_dialects(registry: ir.DialectRegistry, /) -> None: ...

_partita\.Pass\.info:
    \from partita import transform as transform
    \from partita.ir.module import IRModule as IRModule
    @property
    def info(self) -> transform.PassInfo: ...

_partita\.Pass\.__init__:
    \from collections.abc import Callable
    def __init__(self, *args: Any) -> None: ...

_partita\.Pass\.__eq__:
    def __eq__(self, other: object) -> bool: ...

_partita\.Pass\._run:
    def _run(self, module: IRModule, in_place: bool, verify: bool, resume_from: str) -> IRModule: ...

_partita\.Pass\._function:
    @property
    def _function(self) -> tuple[Any, str | None, bool | None]: ...

_partita\.Pass\._plan:
    def _plan(self, context: PassContext, /) -> tuple[list[tuple[Pass, int, int]], str]: ...

_partita\.bind_function:
    def bind_function(function: object) -> bool: ...

_partita\.get_pass:
    def get_pass(name: str, options: str) -> transform.Pass: ...

_partita\.parse_pipeline:
    def parse_pipeline(pipeline: str, info: PassInfo) -> transform.Pass: ...

_partita\.list_passes:
    def list_passes() -> list[tuple[transform.PassInfo, str, str, str]]: ...

_partita\.list_pass_configs:
    \from typing import Any as Any
    def list_pass_configs() -> list[tuple[str, str, Any, str]]: ...

_partita\.PassContext\.__init__:
    \from collections.abc import Sequence
    def __init__(self, opt_level: int, required_pass: Sequence[str], disabled_pass: Sequence[str], config: dict[str, Any], instruments: Sequence[Any], warns: bool = True) -> None: ...

_partita\.PassContext\.__(enter)__:
    \from partita import transform as transform
    def __enter__(self) -> transform.PassContext: ...

_partita\.PassContext\.__(exit)__:
    def __exit__(self, *error: object) -> None: ...

_partita\.PassContext\.current:
    @staticmethod
    def current() -> transform.PassContext: ...

_partita\.PassContext\.(required_pass|disabled_pass):
    @property
    def \1(self) -> list[str]: ...

_partita\.PassContext\.config:
    @property
    def config(self) -> dict[str, Any]: ...

_partita\.PassContext\.instruments:
    @property
    def instruments(self) -> list[Any]: ...

_partita\.PassContext\.pass_enabled:
    def pass_enabled(self, info: Any, /) -> bool: ...

_partita\.PassContext\.override_instruments:
    def override_instruments(self, instruments: Sequence[Any], /) -> None: ...

_partita\.PassContext\.diagnostics:
    def diagnostics(self, take: bool, /) -> list[tuple[str, str, str, list[str]]]: ...

_partita\.list_instruments:
    def list_instruments() -> list[tuple[str, str, str]]: ...

_partita\.ExpressionsTable\.remove:
    def remove(self, function: ir.Operation | ir.OpView) -> None: ...

_partita\.FunctionsTable\.find:
    def find(self, operation: ir.Operation | ir.OpView) -> Any: ...

_partita\.FunctionsTable\.set:
    def set(self, operation: ir.Operation | ir.OpView, function: object) -> None: ...

_partita\.FunctionsTable\.pop:
    def pop(self, operation: ir.Operation | ir.OpView) -> Any: ...

_partita\.get_functions:
    def get_functions(operation: ir.Operation, owner: object) -> list[tuple[Any, Any]]: ...

_partita\.get_global_var:
    def get_global_var(operation: ir.Operation | ir.OpView) -> Any: ...

_partita\.get_type_of_calls:
    def get_type_of_calls(operation: ir.Operation | ir.OpView) -> ir.FunctionType | None: ...

_partita\.hide_function:
    def hide_function(function: Any) -> None: ...

_partita\.hide_form:
    def hide_form(form: Any, parts: Any) -> None: ...

_partita\.Expr\.__init__:
    def __init__(self, kind: int, span: ir.Location | None = None, types: Sequence[ir.Type] | None = None, object: Any = None, args: tuple[Any, ...] | None = None, attribute: Any = None, index: int = 0) -> None: ...

_partita\.Expr\._has_results:
    @property
    def _has_results(self) -> bool: ...

_partita\.Expr\._set_name:
    def _set_name(self, name: str, is_dataflow: bool) -> None: ...

_partita\.Expr\._types:
    @property
    def _types(self) -> tuple[ir.Type, ...] | None: ...

_partita\.Expr\._type:
    @property
    def _type(self) -> ir.Type: ...

_partita\.Expr\._context:
    @property
    def _context(self) -> ir.Context: ...

_partita\.Expr\.loc:
    @property
    def loc(self) -> ir.Location | None: ...
    @loc.setter
    def loc(self, location: ir.Location | None) -> None: ...

_partita\.Expr\.(_object|_callee|_args|_call_args|_fields|_arg|_index):
    \from typing import ClassVar as ClassVar
    \1: ClassVar[Any]

_partita\.Expr\._is_pure:
    @property
    def _is_pure(self) -> bool: ...

_partita\.Expr\._value:
    @property
    def _value(self) -> ir.Attribute: ...

_partita\.Expr\._attrs:
    @property
    def _attrs(self) -> dict[str, ir.Attribute]: ...

_partita\.Expr\._with_args:
    def _with_args(self, args: Sequence[Any], op: Any = None) -> Any: ...

_partita\.Expr\.(_bind_self|_bind):
    def \1(self, value: Any) -> None: ...

_partita.__prefix__:
    \from typing import TypeVar as TypeVar
    _Definition = TypeVar("_Definition")

_partita\.known_as:
    \from collections.abc import Callable as Callable
    def known_as(name: str) -> Callable[[_Definition], _Definition]: ...

_partita\.make_call$:
    def make_call(*args: Any, **options: Any) -> Any: ...

_partita\.make_field:
    def make_field(tuple: Any, index: int) -> Any: ...

_partita\.try_call:
    def try_call(op: Any, args: tuple[Any, ...], /) -> Any: ...

_partita\.make_shape$:
    def make_shape(dims: tuple[int | str | None, ...], context: ir.Context) -> ir.Attribute: ...

_partita\.make_shape_type:
    def make_shape_type(dims: tuple[int | str | None, ...] | None, is_lacking: bool, context: ir.Context) -> ir.Type: ...

_partita\.make_tensor_type:
    def make_tensor_type(dims: tuple[int | str | None, ...] | None, is_lacking: bool, element_type: ir.Type | None, shape: str | None, vdevice: ir.Attribute | None, context: ir.Context) -> ir.Type: ...

_partita\.make_callable:
    def make_callable(inputs: Sequence[ir.Type] | None, result: ir.Type, is_pure: bool, derive: str | None, context: ir.Context) -> ir.Type: ...

_partita\.make_object:
    def make_object(context: ir.Context) -> ir.Type: ...

_partita\.get_index_map:
    def get_index_map(attribute: ir.Attribute) -> tuple[ir.AffineMap, str] | None: ...

_partita\.get_dims:
    def get_dims(shape: ir.Attribute) -> tuple[int | str | None, ...] | None: ...

_partita\.read_type:
    def read_type(type: ir.Type, expr: Any = None) -> tuple[Any, ...] | None: ...

_partita\.(is_more_general|is_castable):
    def \1(one: ir.Type, other: ir.Type, /) -> bool: ...

_partita\.simplify_dim:
    def simplify_dim(text: str, context: ir.Context) -> Any: ...

_partita\.bind_types:
    def bind_types(function_type: ir.FunctionType, args: Sequence[ir.Type]) -> list[ir.Type]: ...

_partita\.bind_params:
    def bind_params(function: ir.Operation, values: Sequence[tuple[int, ir.Attribute]]) -> None: ...

_partita\.bind_symbolic_vars:
    def bind_symbolic_vars(function: ir.Operation, names: Sequence[str], dims: tuple[int | str | None, ...]) -> None: ...

_partita\.parse_type:
    def parse_type(text: str, context: ir.Context) -> ir.Type: ...

_partita\.read_parts:
    def read_parts(function: Any) -> Any: ...

_partita\.build_function:
    def build_function(params: tuple[Any, ...], body: Any, blocks: tuple[Any, ...], is_single: bool, context: ir.Context, attributes: dict[str, ir.Attribute], ret_type: ir.Type | None, loc: ir.Location | None, get_call_types: Callable[..., Any]) -> ir.Operation: ...

_partita\.renew:
    def renew(expr: Any, memo: dict[Any, Any]) -> Any: ...

_partita\.unnamed_operands:
    def unnamed_operands(expr: Any) -> list[Any]: ...

_partita\.post_order:
    def post_order(roots: Sequence[Any]) -> list[Any]: ...

_partita\.((?:functor_visit|visit_|mutate_)\w*):
    \1: Any

_partita\.get_used_symbols:
    def get_used_symbols(operation: ir.Operation) -> set[str]: ...

_partita\.is_reshape:
    def is_reshape(operation: ir.Operation) -> bool: ...

_partita\.get_symbols:
    def get_symbols(operation: ir.Operation) -> list[ir.Operation]: ...

_partita\.get_attributes:
    def get_attributes(operation: ir.Operation, without: tuple[str, ...]) -> dict[str, ir.Attribute]: ...

_partita\.get_symbol_name:
    def get_symbol_name(operation: ir.Operation | ir.OpView) -> str: ...

_partita\.get_function_type:
    def get_function_type(operation: ir.Operation | ir.OpView) -> ir.FunctionType: ...
