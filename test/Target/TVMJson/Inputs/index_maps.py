"""Made index_maps.json, with Apache TVM 0.27: index maps of layout_transform.

It does not look like a real program.
"""

from save import save
import tvm
from tvm import relax, tirx

MAPS = {
    "split": lambda i, j: (i // 4, j, i % 4),
    "join": lambda i, j: (i * 8 + j,),
    "turned": lambda i, j: (8 * i + j,),
    "minus": lambda i, j: (i * 8 - (0 - j),),
    "constant": lambda i, j: (i, j, tirx.IntImm("int64", 0)),
    "least": lambda i, j: (tirx.min(i, 3), j),
}


def transform(name, index_map):
    x = relax.Var("x", relax.TensorType((8, 8), "float32"))
    call = relax.op.layout_transform(x, index_map)
    builder = relax.BlockBuilder()
    with builder.function(name, [x]):
        builder.emit_func_output(builder.emit(call))
    return builder.get()[name]


narrow = tirx.IndexMap.from_func(MAPS["split"], index_dtype="int32")
split = tirx.IndexMap.from_func(MAPS["split"])
inverse = tirx.IndexMap.from_func(lambda i, j, k: (i * 4 + k, j))
maps = {
    **MAPS,
    "narrow": narrow,
    "inverse": tirx.IndexMap(split.initial_indices, split.final_indices, inverse),
}
save(tvm.IRModule({name: transform(name, make) for name, make in maps.items()}), "index_maps.json")
