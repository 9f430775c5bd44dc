# SPDX-License-Identifier: Apache-2.0
"""Reads what GET /v1/timeline answers: docs/timeline-format.md."""
import json
import struct
import zlib
from array import array

KINDS = ["running", "suspended", "overrun", "promised", "forecast", "reserved", "standing",
         "down", "drained", "unknown", "ended", "failed"]
CODES = {"u8": "B", "u16": "H", "u32": "I", "i32": "i"}


def read(data):
    """(heading, {section: values}) of an answer."""
    assert data[:6] == b"MAUITL" and data[6:7] in (b"\0", b"Z") and data[7] == 1, data[:8]
    body = zlib.decompress(data[8:]) if data[6:7] == b"Z" else data[8:]
    size, = struct.unpack_from("<I", body)
    heading = json.loads(body[4:4 + size])
    base = 4 + size
    assert base % 8 == 0
    columns = {}
    for s in heading["sections"]:
        part = body[base + s["at"]:base + s["at"] + s["bytes"]]
        assert len(part) == s["bytes"] and s["at"] % 8 == 0
        columns[s["name"]] = (part.decode().split("\n")[:-1] if s["type"] == "text"
                              else array(CODES[s["type"]], part))
    return heading, columns


def pieces(data):
    """Of each piece a dict: kind, id of its object, rows, from and to as instants."""
    heading, c = read(data)
    begin = heading["from"]
    return [{"kind": KINDS[kind], "id": c["object.id"][o] if o < len(c["object.id"]) else None,
             "rows": (row, row + n - 1), "start": begin + start, "end": begin + end,
             "procs": procs}
            for row, n, start, end, o, procs, kind in zip(
                c["piece.row"], c["piece.rows"], c["piece.start"], c["piece.end"],
                c["piece.object"], c["piece.procs"], c["piece.kind"])]


def names(rows):
    """The name of each row of /v1/rows."""
    return [name for n in rows["names"] for name in (
        [n] if isinstance(n, str)
        else [f"{n['prefix']}{n['from'] + i:0{n['width']}d}" for i in range(n["count"])])]
