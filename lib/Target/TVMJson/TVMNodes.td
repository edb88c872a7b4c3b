//===- TVMNodes.td - The nodes of TVM's JSON ---------------*- tablegen -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each record declares the fields of one of TVM's classes. From
//
//   def RangeNode : TVMNode<"ir.Range", [Ref<"min">, Ref<"extent">]>;
//
// partita-tblgen makes
//
//   struct RangeNode {
//     Node min{};
//     Node extent{};
//     static bool is(StringRef type) { return type == "ir.Range"; }
//     LogicalResult read(NodeTable &, const Node &, Location *span = nullptr);
//     struct New { FailureOr<int64_t> min; FailureOr<int64_t> extent; };
//     static FailureOr<int64_t> add(NodeWriter &, const New &fields);
//   };
//
// `read` fails, after an error, at a field that is missing, unknown or of
// another kind. `add` fails if a node that it is to refer to is a failure, so
// that callers need not look; braces evaluate the new node's fields in order.
// A node has several records if not all readers take the same nodes in a field.
//
// These nodes have no record:
// - relax.attrs.*: the ops of the relax dialect declare their attributes.
// - prim.* of operands alone, such as prim.Add: tir::getPrimFields declares
//   them, because the verifier of `tir.prim` needs them; see PrimNode.
// - Nodes whose data is one value, such as ffi.String, ffi.Array and ir.Op:
//   NodeTable and NodeWriter have functions for them.
//
//===----------------------------------------------------------------------===//

// A field: a function of class Fields reads it into a member of type `type`,
// and `maker`, a function of class NodeWriter, adds the node for a new value.
class Field<string fieldName, string read, string memberType,
            string make = ""> {
  string name = fieldName;
  string reader = read;
  string type = memberType;
  string newType = memberType;
  string maker = make;
  string target = "";
}

// Values that stand inline. A text is a dtype.
class Bool<string name> : Field<name, "boolean", "bool">;
class Float<string name> : Field<name, "number", "double">;
class Int<string name> : Field<name, "integer", "int64_t">;
class Text<string name> : Field<name, "text", "::llvm::StringRef">;

// The index of a node that holds a value: an `int`, an ffi.BigInt that only a
// uint64 can hold, or an ffi.String.
class BoxedInt<string name>
    : Field<name, "boxedInteger", "int64_t", "getInt">;
class BigInt<string name>
    : Field<name, "bigInteger", "uint64_t", "getBigInt">;
class String<string name>
    : Field<name, "string", "::llvm::StringRef", "getString">;

// The index of a node: of any, or one of type `targetType`; of an ffi.Array, or
// of an ffi.Map, whose elements are read. A new one is added before.
class NodeField<string name, string read, string memberType>
    : Field<name, read, memberType> {
  let newType = "::mlir::FailureOr<int64_t>";
}
class Ref<string name, string targetType = "">
    : NodeField<name, "ref", "Node"> {
  let target = targetType;
}
class Refs<string name>
    : NodeField<name, "array", "::llvm::SmallVector<Node>">;
class Entries<string name>
    : NodeField<name, "map", "::llvm::SmallVector<std::pair<Node, Node>>">;

class TVMNode<string typeKey, list<Field> nodeFields> {
  string key = typeKey;
  list<Field> fields = nodeFields;
  // Whether there is a field `span`, and TVM declares it behind the others. It
  // is written as None.
  bit hasSpan = 1;
  bit isSpanLast = 0;
  // Other types of the same fields.
  list<string> variants = [];
}
class PlainNode<string typeKey, list<Field> nodeFields>
    : TVMNode<typeKey, nodeFields> {
  let hasSpan = 0;
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

def TypeNode : TVMNode<"ir.Type", []>;
def PrimTypeNode : TVMNode<"ir.PrimType", [Text<"dtype">]>;
def StringTypeNode : TVMNode<"ir.StringType", []>;
def PointerTypeNode
    : TVMNode<"ir.PointerType", [Ref<"element_type">,
                                 String<"storage_scope">]>;
def TupleTypeNode : TVMNode<"ir.TupleType", [Refs<"fields">]>;
def AnyTypeNode : TVMNode<"relax.AnyType", []>;
def FuncTypeNode
    : TVMNode<"relax.FuncType", [Ref<"params">, Ref<"ret">, Ref<"derive_func">,
                                 Bool<"purity">]>;
def ShapeTypeNode : TVMNode<"relax.ShapeType", [Ref<"values">, Int<"ndim">]>;
def TensorTypeNode
    : TVMNode<"relax.TensorType", [Ref<"shape">, Ref<"dtype">, Ref<"vdevice">,
                                   Int<"ndim">]>;
def BufferTypeNode
    : TVMNode<"tirx.BufferType", [Ref<"dtype">, String<"storage_scope">,
                                  Refs<"shape">, Refs<"strides">,
                                  Ref<"elem_offset">, Int<"data_alignment">,
                                  Int<"offset_factor">, Ref<"layout">,
                                  Refs<"allocated_addr">]>;
def BufferRegionTypeNode : TVMNode<"tirx.BufferRegionType", []>;

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

class VarOf<string varType = "">
    : TVMNode<"ir.Var", [Ref<"ty", varType>, String<"name">]>;
def VarNode : VarOf;
def DimVarNode : VarOf<"ir.PrimType">;
def ShapeVarNode : VarOf<"relax.ShapeType"> {
  let variants = ["relax.expr.DataflowVar"];
}
def RelaxVarNode : VarOf {
  let variants = ["relax.expr.DataflowVar"];
}

//===----------------------------------------------------------------------===//
// Constants and calls
//===----------------------------------------------------------------------===//

def IntImmNode : TVMNode<"ir.IntImm", [Ref<"ty">, BoxedInt<"value">]>;
def BigIntImmNode : TVMNode<"ir.IntImm", [Ref<"ty">, BigInt<"value">]>;
def FloatImmNode : TVMNode<"ir.FloatImm", [Ref<"ty">, Float<"value">]>;
def StringImmNode
    : TVMNode<"ir.StringImm", [Ref<"ty", "ir.StringType">, String<"value">]>;

class CallOf<string callee = "">
    : TVMNode<"ir.Call", [Ref<"ty">, Ref<"op", callee>, Refs<"args">,
                          Ref<"attrs">, Refs<"ty_args">]>;
def CallNode : CallOf;
def OpCallNode : CallOf<"ir.Op">;

class GenericConstOf<string constType, string valueType>
    : TVMNode<"ir.GenericConst", [Ref<"ty", constType>,
                                  Ref<"value", valueType>]>;
def TensorConstNode : GenericConstOf<"", "ffi.Tensor">;
def DTypeConstNode : GenericConstOf<"relax.AnyType", "DataType">;

//===----------------------------------------------------------------------===//
// Relax
//===----------------------------------------------------------------------===//

def FunctionNode
    : TVMNode<"relax.expr.Function", [Ref<"ty", "relax.FuncType">, Ref<"attrs">,
                                      Refs<"params">, Ref<"body">,
                                      Ref<"ret_ty">, Bool<"is_pure">]>;
def ExternFuncNode
    : TVMNode<"relax.expr.ExternFunc", [Ref<"ty", "relax.FuncType">,
                                        Ref<"attrs">,
                                        String<"global_symbol">]>;
def IfNode
    : TVMNode<"relax.expr.If", [Ref<"ty">, Ref<"cond">, Ref<"true_branch">,
                                Ref<"false_branch">]>;
def SeqExprNode
    : TVMNode<"relax.expr.SeqExpr", [Ref<"ty">, Refs<"blocks">, Ref<"body">]>;
def BindingBlockNode
    : TVMNode<"relax.expr.BindingBlock", [Refs<"bindings">]> {
  let isSpanLast = 1;
  let variants = ["relax.expr.DataflowBlock"];
}
def VarBindingNode
    : TVMNode<"relax.expr.VarBinding", [Ref<"var">, Ref<"value">]>;
def MatchCastNode
    : TVMNode<"relax.expr.MatchCast", [Ref<"var">, Ref<"value">, Ref<"ty">]>;
def ShapeExprNode
    : TVMNode<"relax.expr.ShapeExpr", [Ref<"ty", "relax.ShapeType">,
                                       Refs<"values">]>;
def TupleNode : TVMNode<"ir.Tuple", [Ref<"ty">, Refs<"fields">]>;
def TupleGetItemNode
    : TVMNode<"ir.TupleGetItem", [Ref<"ty">, Ref<"tuple_value">, Int<"index">]>;

//===----------------------------------------------------------------------===//
// TIR
//===----------------------------------------------------------------------===//

def PrimFuncNode
    : TVMNode<"tirx.PrimFunc", [Ref<"ty">, Ref<"attrs">, Refs<"params">,
                                Ref<"ret_type">, Ref<"body">]>;

// Expressions.
def RangeNode : TVMNode<"ir.Range", [Ref<"min">, Ref<"extent">]> {
  let isSpanLast = 1;
}
def IterVarNode
    : TVMNode<"tirx.IterVar", [Ref<"dom">, Ref<"var">, Int<"iter_type">,
                               String<"thread_tag">]> {
  let isSpanLast = 1;
}
def TensorLoadNode
    : TVMNode<"ir.TensorLoad", [Ref<"ty">, Ref<"source">, Refs<"indices">]>;
def TensorRegionNode
    : TVMNode<"ir.TensorRegion", [Ref<"ty", "tirx.BufferRegionType">,
                                  Ref<"source">, Refs<"region">]>;
def LetNode
    : TVMNode<"prim.Let", [Ref<"ty">, Ref<"var">, Ref<"value">, Ref<"body">]>;
def ShuffleNode
    : TVMNode<"prim.Shuffle", [Ref<"ty">, Refs<"vectors">, Refs<"indices">]>;

// Statements.
def SeqStmtNode : TVMNode<"tirx.SeqStmt", [Refs<"seq">]>;
def ForNode
    : TVMNode<"tirx.For", [Ref<"loop_var">, Ref<"min">, Ref<"extent">,
                           Int<"kind">, Ref<"body">, Ref<"thread_binding">,
                           Entries<"annotations">, Ref<"step">]>;
def IfThenElseNode
    : TVMNode<"tirx.IfThenElse", [Ref<"condition">, Ref<"then_case">,
                                  Ref<"else_case">]>;
def WhileNode : TVMNode<"tirx.While", [Ref<"condition">, Ref<"body">]>;
def JumpNode : TVMNode<"tirx.Break", []> {
  let variants = ["tirx.Continue"];
}
def EvaluateNode : TVMNode<"tirx.Evaluate", [Ref<"value">]> {
  let variants = ["tirx.Return"];
}
def BindNode : TVMNode<"tirx.Bind", [Ref<"var">, Ref<"value">]>;
def BufferStoreNode
    : TVMNode<"tirx.BufferStore", [Ref<"buffer">, Ref<"value">,
                                   Refs<"indices">]>;
def AssertStmtNode
    : TVMNode<"tirx.AssertStmt", [Ref<"condition">, Ref<"error_kind">,
                                  Refs<"message_parts">]>;
def AttrStmtNode
    : TVMNode<"tirx.AttrStmt", [Ref<"node">, String<"attr_key">, Ref<"value">,
                                Ref<"body">]>;
def ScopeIdDefStmtNode
    : TVMNode<"tirx.ScopeIdDefStmt", [Ref<"def", "tirx.ScopeIdDef">]>;
def ScopeIdDefNode
    : PlainNode<"tirx.ScopeIdDef", [Refs<"def_ids">, Ref<"extents">, Int<"scope">,
                                  Ref<"preferred_extents">]>;

// Buffers and blocks.
def AllocBufferNode
    : TVMNode<"tirx.AllocBuffer", [Ref<"buffer">, Entries<"annotations">]>;
def DeclBufferNode
    : TVMNode<"tirx.DeclBuffer", [Ref<"buffer">, Ref<"data">]>;
def SBlockRealizeNode
    : TVMNode<"s_tir.SBlockRealize", [Refs<"iter_values">, Ref<"predicate">,
                                      Ref<"block">]>;
def SBlockNode
    : TVMNode<"s_tir.SBlock", [Refs<"iter_vars">, Refs<"reads">, Refs<"writes">,
                               String<"name_hint">, Refs<"alloc_buffers">,
                               Refs<"match_buffers">, Entries<"annotations">,
                               Ref<"init">, Ref<"body">]>;
def MatchBufferRegionNode
    : PlainNode<"s_tir.MatchBufferRegion", [Ref<"buffer">, Ref<"source">]>;

//===----------------------------------------------------------------------===//
// Modules, attributes and source places
//===----------------------------------------------------------------------===//

def IRModuleNode
    : PlainNode<"ir.IRModule", [Entries<"functions">, Entries<"global_var_map_">,
                                Ref<"source_map">, Ref<"attrs">,
                                Ref<"global_infos">]>;
def SourceMapNode : PlainNode<"ir.SourceMap", [Entries<"source_map">]>;
def GlobalVarNode : TVMNode<"ir.GlobalVar", [Ref<"ty">, String<"name_hint">]>;
def DictAttrsNode : PlainNode<"ir.DictAttrs", [Ref<"__dict__">]>;
def TargetNode
    : PlainNode<"target.Target", [Ref<"kind", "target.TargetKind">,
                                  String<"tag">, Ref<"keys", "ffi.Array">,
                                  Ref<"attrs", "ffi.Map">, Ref<"host">]>;
def VDeviceNode
    : PlainNode<"relax.VDevice", [Ref<"target">, Int<"vdevice_id">,
                                  String<"memory_scope">]>;
def IndexMapNode
    : PlainNode<"tirx.IndexMap", [Refs<"initial_indices">,
                                  Refs<"final_indices">,
                                  Ref<"inverse_index_map">]>;
def TileLayoutNode
    : PlainNode<"tirx.TileLayout", [Refs<"shard">, Refs<"replica">,
                                    Entries<"offset">]>;
def IterNode
    : PlainNode<"tirx.Iter", [Ref<"extent", "ir.IntImm">,
                              Ref<"stride", "ir.IntImm">,
                              Ref<"axis", "tirx.Axis">]>;
def DummyGlobalInfoNode : PlainNode<"relax.DummyGlobalInfo", []>;
def SpanNode
    : PlainNode<"ir.Span", [Ref<"source_name", "ir.SourceName">, Int<"line">,
                            Int<"column">, Int<"end_line">, Int<"end_column">]>;
def SequentialSpanNode
    : PlainNode<"ir.SequentialSpan", [Ref<"source_name">, Int<"line">,
                                      Int<"column">, Int<"end_line">,
                                      Int<"end_column">, Refs<"spans">]>;
