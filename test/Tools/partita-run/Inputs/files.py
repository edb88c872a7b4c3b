"""files.py FOLDER: files with the same two arrays, in all ways that they can be written."""

import pathlib
import struct
import sys
import zipfile

import numpy as np

folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
x = np.arange(1200, dtype="float32").reshape(300, 4) / 7
w = np.array([1, -2, 3, 0.5], "float32")
np.savez(folder / "expected.npz", y=x * w)
np.savez(folder / "stored.npz", x=x, w=w)
np.savez_compressed(folder / "deflated.npz", x=x, w=w)
np.savez(folder / "fortran.npz", x=np.asfortranarray(x), w=w)
np.savez(folder / "big-endian.npz", x=x.astype(">f4"), w=w.astype(">f4"))
np.savez(folder / "prefixed.npz", in_w=w, in_x=x, out_0=x)
np.savez(folder / "unnamed.npz", x, w)
np.savez(folder / "others.npz", in_a=x, in_b=w, out_0=x)
np.save(folder / "x.npy", x)
np.save(folder / "w.npy", w)
# Levels of compression have other kinds of blocks.
for level in (0, 1):
    with zipfile.ZipFile(folder / f"level{level}.npz", "w", 8, compresslevel=level) as file:
        file.write(folder / "x.npy", "x.npy")
        file.write(folder / "w.npy", "w.npy")

# With 64-bit fields in the directory, as in files above 4 GB.
data = bytearray((folder / "stored.npz").read_bytes())
end = data.rfind(b"PK\5\6")
count, size, begin = struct.unpack_from("<HII", data, end + 10)
directory = b""
position = begin
for _ in range(count):
    entry = bytearray(data[position : position + 46])
    packed, unpacked, name_size, extra_size = struct.unpack_from("<IIHH", entry, 20)
    (offset,) = struct.unpack_from("<I", entry, 42)
    name = data[position + 46 : position + 46 + name_size]
    position += 46 + name_size + extra_size
    extra = struct.pack("<HHHHHQQQ", 77, 2, 0, 1, 24, unpacked, packed, offset)
    struct.pack_into("<IIHH", entry, 20, 0xFFFFFFFF, 0xFFFFFFFF, name_size, len(extra))
    struct.pack_into("<I", entry, 42, 0xFFFFFFFF)
    directory += entry + name + extra
place = begin + len(directory)
end64 = struct.pack("<IQHHIIQQQQ", 0x06064B50, 44, 45, 45, 0, 0, count, count, len(directory), begin)
locator = struct.pack("<IIQI", 0x07064B50, 0, place, 1)
tail = struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 7)
result = data[:begin] + directory + end64 + locator + tail + b"comment"
(folder / "zip64.npz").write_bytes(result)

# Arrays that are no use.
np.savez(folder / "objects.npz", x=np.array([None, 1]), w=w)
np.savez(folder / "complex.npz", x=x.astype("complex64"), w=w)
np.savez(folder / "records.npz", x=np.zeros(3, "f4,i4"), w=w)
np.savez(folder / "wrong-dtype.npz", x=x.astype("float64"), w=w)
np.savez(folder / "wrong-shape.npz", x=x, w=x)
np.savez(folder / "only-x.npz", x=x)
np.savez(folder / "misspelt.npz", x=x, v=w)
with zipfile.ZipFile(folder / "bzip2.npz", "w", zipfile.ZIP_BZIP2) as file:
    file.write(folder / "x.npy", "x.npy")
