# SPDX-License-Identifier: Apache-2.0
"""The fonts hostile-NAME of fonts/make.py: damaged tables, and small ones that ask for much work.

`draws` is false where no reader can draw the glyph or where the project's limits forbid it, and null where a reader may choose.
"""

import struct

from color_table import (FOREGROUND, Layers, Node, Paint, affine, color_glyph, composite, f2dot14, faded, fixed, glyph, layers, linear, radial,
                         rotated, s16, scaled, scaled_evenly, skewed, solid, sweep, translated, u8, u16, u24, u32)
from font import Font
from shapes import ACROSS, BOX, CENTRE, QUARTER, Polygon, near, star

TWO = [(0, "red"), (1, "blue")]
# Where the header of COLR has its offsets.
GLYPH_LIST, LAYER_LIST, CLIP_LIST = 14, 18, 22
NOWHERE = 0xFFFFFF
CIRCLE = glyph("circle", solid("blue"))


def hostile(name, face="paint"):
    return Font(f"hostile-{name}", face=face)


def patched(data, at, replaced):
    return data[:at] + replaced + data[at + len(replaced):]


def number(data, at):
    return struct.unpack_from(">I", data, at)[0]


def turned_round(data, first, length):
    """Four records in the other order."""
    records = [data[first + length * place:first + length * (place + 1)] for place in range(4)]
    return patched(data, first, b"".join(reversed(records)))


def chain(count, paint, step):
    for _ in range(count):
        paint = step(paint)
    return paint


def cycle():
    font = hostile("cycle")
    font.add("itself", color_glyph("itself"), draws=False)
    font.add("first", layers(CIRCLE, color_glyph("second")), "two glyphs, each with the other in it", draws=False)
    font.add("second", layers(CIRCLE, color_glyph("first")), draws=False)
    loop = Layers(CIRCLE)
    loop.layers.append(loop)
    font.add("layers", loop, "layers with themselves among them", draws=False)
    turning = Layers(CIRCLE)
    turning.layers.append(rotated(turning, 10))
    font.add("turning", turning, "the same, turned each time", draws=False)
    font.add("groups", composite("xor", CIRCLE, color_glyph("groups")), draws=False)
    font.add("twice", layers(color_glyph("shared"), color_glyph("shared")), "no cycle: a glyph twice")
    font.add("shared", CIRCLE)
    return font


def bomb():
    font = hostile("bomb")
    for level in range(20, 0, -1):
        child = color_glyph(f"bomb.{level - 1}")
        font.add(f"bomb.{level}", layers(*[child] * 200), f"200^{level} references", draws=level == 1)
    font.add("bomb.0", glyph("circle", solid("blue", 0.05)))
    return font


def deep():
    font = hostile("deep")
    for count, draws in ((60, True), (100, False)):
        font.add(f"transforms.{count}", chain(count, CIRCLE, lambda paint: translated(paint, 1, 0)), "one in the other", draws=draws)
    # Written as one node: each has its paint right behind it.
    moves = (u8(14) + u24(8) + s16(1, 0)) * 5_000
    font.add("transforms.5000", Paint(14, moves[1:], u8(10), u24(6), "circle", u8(2), u16(0), f2dot14(1)), "one in the other", draws=False)
    font.add("glyphs.60", chain(60, solid("blue"), lambda paint: glyph("circle", paint)), "60 outlines, one in the other")
    font.add("layers.100", chain(100, CIRCLE, layers), draws=False)
    return font


def groups():
    font = hostile("groups")
    for count, draws in ((8, True), (28, False)):
        paint = chain(count, CIRCLE, lambda paint: composite("xor", paint, glyph("square", solid("red", 0.5))))
        font.add(f"groups.{count}", paint, "one in the other", draws=draws, vector=False)
        font.add(f"faded.{count}", chain(count, CIRCLE, lambda paint: faded(paint, 0.9)), "one in the other", draws=True if draws else None)
    beside = composite("xor", CIRCLE, glyph("square", solid("red", 0.1)))
    font.add("beside.100", layers(*[beside] * 100), "100 groups, none in another", draws=None, vector=False)
    return font


def points():
    font = hostile("points")
    # The lines of the star are long, and end at each degree. The comb goes to and fro, so that it is short in the file.
    font.shapes |= {"star30000": [star(30_000, 11_459)], "comb40000": [Polygon(*(near(i // 40 - 500, 500 - i % 2 * 1000) for i in range(40_000)))]}
    font.add("star", glyph("star30000", solid("blue")), "30,000 points")
    font.add("comb", glyph("comb40000", solid("blue")), "40,000 points", draws=False)
    font.add("stars", layers(*[glyph("star30000", solid("blue", 0.1))] * 250), "250 layers of 30,000 points", draws=False)
    return font


def fills():
    font = hostile("fills")
    fill = radial((0, 0), 0, (300, 0), 10, TWO, "reflect")
    font.add("fills.250", layers(*[glyph("square", fill)] * 250), "250 radial gradients over all", vector=False)
    font.add("fills.8000", layers(*[color_glyph("fills.250")] * 32), "8,000 of them", draws=None, vector=False)
    font.add("stripes.linear", glyph("square", linear(near(0, 0), near(1, 0), near(0, 1), TWO, "repeat")), "1,000 stripes")
    font.add("stripes.radial", glyph("square", radial(CENTRE, 0, CENTRE, 1, TWO, "reflect")), "700 rings")
    font.add("stripes.sweep", glyph("square", sweep(CENTRE, 180, 180 + 360 / 32768, TWO, "repeat")), "32,768 rays", draws=None, exact=False, vector=False)
    near_stops = [(0, "red"), (1 / 16384, "blue")]
    font.add("stripes.stops", glyph("square", linear(near(0, 0), near(1, 0), near(0, 1), near_stops, "repeat")), "16 million stripes", draws=None, vector=None)
    turns = sweep(CENTRE, 180, 180 + 360 / 32768, near_stops, "reflect")
    font.add("stripes.turns", glyph("square", turns), "500 million rays", draws=None, exact=False, vector=False)
    font.add("far.linear", glyph("square", linear((-32768, -32768), (32767, 32767), (-32768, 32767), TWO, "repeat")), vector=None)
    font.add("far.radial", glyph("square", radial((-32768, -32768), 65535, (32767, 32767), 0, TWO, "repeat")), draws=None, vector=False)
    font.add("far.cone", glyph("square", radial((-32768, 0), 65535, (32767, 1), 65534, TWO, "reflect")), draws=None, vector=False)
    return font


def stops():
    font = hostile("stops")

    def gradient(count):
        return glyph("circle", linear(*ACROSS, [(at / 300, ("red", "blue")[at % 2]) for at in range(count)]))

    font.add("stops.256", gradient(256))
    font.add("stops.300", gradient(300), draws=False)
    font.add("stops.0", gradient(0), "none", draws=None)
    missing = Node(u8(0), u16(65535), f2dot14(0), u16(0), f2dot14(1))
    font.add("stops.missing", glyph("circle", Paint(4, missing, s16(140, 350, 1140, 350, 140, 850))), "65,535, of which the table has one", draws=False)
    return font


def matrix():
    font = hostile("matrix")

    def one(name, paint, notes="", draws=False):
        """Of the glyph, and of its fill."""
        font.add(f"{name}.of_glyph", paint(CIRCLE), notes, draws=draws)
        font.add(f"{name}.of_fill", glyph("circle", paint(linear(*ACROSS, TWO))), notes, draws=None, vector=None)

    one("zero", lambda paint: affine(paint, 0, 0, 0, 0, 640, 350), "all to one point")
    one("flat", lambda paint: affine(paint, 1, 1, 1, 1, 0, 0), "all to one line")
    one("huge", lambda paint: affine(paint, 32767.99, 0, 0, 32767.99, -32768, -32768), "everything is far larger than the glyph", None)
    one("lowest", lambda paint: Paint(12, paint, Node(fixed(*[-32768] * 6))), "each number is the lowest one")
    one("tiny", lambda paint: affine(paint, 1 / 65536, 0, 0, 1 / 65536, 640, 350), "the smallest scale", None)
    one("scale", lambda paint: scaled(paint, 0, 1), "a scale of 0")
    one("evenly", lambda paint: scaled_evenly(paint, 0, CENTRE), "a scale of 0")
    one("skew", lambda paint: skewed(paint, 90, 0, CENTRE), "a tangent without end", None)
    one("skew_both", lambda paint: skewed(paint, 45, -45), "all to one line")
    one("far", lambda paint: chain(40, paint, lambda inner: translated(inner, 32767, -32768)), "far away")
    one("growing", lambda paint: chain(58, paint, lambda inner: scaled(inner, 1.99, 1.99, CENTRE)), "1.99^58 times as large", None)
    one("shrinking", lambda paint: chain(58, paint, lambda inner: affine(inner, 1 / 65536, 0, 0, 1 / 65536, 0, 0)), "too small for any number", None)
    one("overflow", lambda paint: chain(58, paint, lambda inner: skewed(inner, 90, 90)), "too large for any number", None)
    return font


def palette():
    font = hostile("palette")
    font.add("solid", glyph("circle", solid(500)), "there are 10 colours", draws=None)
    font.add("solid.last", glyph("circle", solid(0xFFFE)), draws=None)
    font.add("solid.next", glyph("circle", solid(10)), "the first number without a colour", draws=None)
    font.add("stop", glyph("circle", linear(*ACROSS, [(0, "red"), (1, 500)])), draws=None)
    font.add_layers("flat", [("circle", "red"), ("dot", 500)], draws=None)
    return font


def cuts():
    def length(kept):
        return lambda data: data[:kept(len(data))]

    lengths = {"13": lambda _: 13, "14": lambda _: 14, "33": lambda _: 33, "half": lambda count: count // 2, "last": lambda count: count - 1,
               "all": lambda _: 0}
    for name, kept in lengths.items():
        font = hostile(f"cut-{name}")
        # The last bytes are those of a layer of the face.
        font.add("circle", CIRCLE, draws=None)
        for case in font.cases:
            case["draws"] = False if name not in ("half", "last") else None
        font.color_table = length(kept)
        yield font
    for name, kept in (("palette", lambda count: count - 1), ("palette-head", lambda _: 11), ("palette-first", lambda _: 13)):
        font = hostile(f"cut-{name}")
        font.cases[0]["draws"] = None
        font.palette_table = length(kept)
        yield font


def offsets():
    font = hostile("offsets")
    ends, centres = s16(140, 350, 1140, 350, 140, 850), s16(640, 350) + u16(0) + s16(640, 350) + u16(500)
    for name, offset in (("zero", 0), ("beyond", 60_000), ("last", NOWHERE)):
        offset = u24(offset)
        font.add(f"glyph.{name}", Paint(10, offset, "circle"), draws=False)
        font.add(f"linear.{name}", glyph("circle", Paint(4, offset, ends)), "of the colour line", draws=False)
        font.add(f"radial.{name}", glyph("circle", Paint(6, offset, centres)), "of the colour line", draws=False)
        font.add(f"sweep.{name}", glyph("circle", Paint(8, offset, s16(640, 350), f2dot14(-1, 1))), "of the colour line", draws=False)
        font.add(f"affine.{name}", Paint(12, CIRCLE, offset), "of the matrix", draws=False)
        font.add(f"affine.paint.{name}", Paint(12, offset, Node(fixed(1, 0, 0, 1, 0, 0))), draws=False)
        font.add(f"moved.{name}", Paint(14, offset, s16(10, 10)), draws=False)
        font.add(f"source.{name}", Paint(32, offset, u8(3), CIRCLE), draws=False)
        font.add(f"backdrop.{name}", Paint(32, CIRCLE, u8(3), offset), draws=False)
    font.add("inside", Paint(10, u24(2), "circle"), "of the paint: within its own bytes", draws=None)
    yield font
    for name, header, least in (("glyph-list", GLYPH_LIST, 1), ("layer-list", LAYER_LIST, 0), ("clip-list", CLIP_LIST, 1)):
        for value in (least, 60_000, 0xFFFFFFFF):
            font = hostile(f"offsets-{name}-{value}")
            font.add("boxed", CIRCLE, draws=None, box=QUARTER)
            font.cases[0]["draws"] = None if header == CLIP_LIST else False
            font.color_table = lambda data, header=header, value=value: patched(data, header, u32(value))
            yield font
    # Of each glyph but the face, in the list of glyphs; and of each layer but those of the face.
    for name, value in (("zero", 0), ("beyond", 60_000), ("last", 0xFFFFFFFF)):
        font = hostile(f"offsets-records-{name}")
        font.add("glyph", CIRCLE, "the offset of its paint", draws=False)
        font.add("layer", layers(CIRCLE), "the offset of its layer", draws=False)

        def changed(data, value=value):
            glyph_list, layer_list = number(data, GLYPH_LIST), number(data, LAYER_LIST)
            data = patched(data, glyph_list + 4 + 6 + 2, u32(value))
            return patched(data, layer_list + 4 + 4 * 3, u32(value))

        font.color_table = changed
        yield font


def formats():
    font = hostile("formats")
    for format in (0, 33, 64, 255):
        font.add(f"paint.{format}", glyph("circle", Paint(format, u16(0), f2dot14(1), bytes(16))), "an unknown paint", draws=False)
        font.add(f"layer.{format}", layers(CIRCLE, glyph("dot", Paint(format, bytes(20)))), "a layer has an unknown paint", draws=None)
    for mode in (28, 255):
        font.add(f"mode.{mode}", composite(mode, CIRCLE, glyph("square", solid("red"))), "an unknown mode", draws=None, vector=None)
    for extend in (3, 255):
        fill = linear(near(-100, 0), near(100, 0), near(-100, 200), TWO, extend)
        font.add(f"extend.{extend}", glyph("circle", fill), "an unknown extend", draws=None, vector=None)
    return font


def clip():
    font = hostile("clip")
    boxes = {"fixed": QUARTER, "variable": (*QUARTER, 0), "inverted": (640, 350, 140, -150), "unknown": QUARTER, "zero": QUARTER, "beyond": QUARTER,
             "largest": (-32768, -32768, 32767, 32767)}
    for name, box in boxes.items():
        font.add(name, CIRCLE, draws=True if name in ("fixed", "variable", "largest") else None, box=box)

    def changed(data):
        """The box of `unknown` has format 3, and those of `zero` and `beyond` have no bytes."""
        at = number(data, CLIP_LIST)
        record = [at + 5 + 7 * place for place in range(7)]
        unknown = at + (number(data, record[3] + 3) & NOWHERE)
        data = patched(data, unknown, u8(3))
        data = patched(data, record[4] + 4, u24(0))
        return patched(data, record[5] + 4, u24(NOWHERE))

    font.color_table = changed
    yield font
    names = ("first", "second", "third", "fourth")
    changes = {
        "unsorted": lambda data, at: turned_round(data, at + 5, 7),
        "overlapping": lambda data, at: patched(data, at + 5, u16(0) + u16(0xFFFF)),
        "inverted": lambda data, at: patched(data, at + 5, u16(0xFFFF) + u16(0)),
        "count": lambda data, at: patched(data, at + 1, u32(0xFFFFFFFF)),
        "count-more": lambda data, at: patched(data, at + 1, u32(40)),
        "format": lambda data, at: patched(data, at, u8(2)),
    }
    for change, changed in changes.items():
        font = hostile(f"clip-{change}")
        for name in names:
            font.add(name, CIRCLE, draws=None, box=QUARTER)
        font.color_table = lambda data, changed=changed: changed(data, number(data, CLIP_LIST))
        yield font


def lists():
    font = hostile("layers")
    for name, count, first in (("beyond", 200, 2), ("far", 1, 60_000), ("overflow", 255, 0xFFFFFFFF), ("one_more", 2, 3)):
        font.add(f"paint.{name}", Paint(1, u8(count), u32(first)), "the list has four layers", draws=False)
    font.add("paint.last", Paint(1, u8(1), u32(3)), "the last layer of the list")
    font.add("paint", layers(CIRCLE))
    font.add("no_shape", Paint(10, solid("blue"), u16(60_000)), "there is no such outline", draws=None)
    font.add("no_color_glyph", Paint(11, u16(60_000)), "there is no such glyph", draws=False)
    font.add("not_colored", color_glyph("circle"), "a glyph that has no colours", draws=None)
    font.add_layers("flat.beyond", [("circle", "red"), ("dot", "blue")], "1,000 layers, of which the list has four", draws=None)
    font.add_layers("flat.far", [("circle", "red")], "the first layer is beyond the list", draws=False)
    font.add_layers("flat.no_shape", [("circle", "red")], "there is no such outline", draws=None)

    def changed(data):
        """The list of flat layers has four: two of the first glyph, one of each other one."""
        records, flat_layers = number(data, 4), number(data, 8)
        data = patched(data, records + 4, u16(1000))
        data = patched(data, records + 6 + 2, u16(0xFFFF))
        return patched(data, flat_layers + 4 * 3, u16(60_000))

    font.color_table = changed
    yield font
    changes = {
        "glyphs-unsorted": lambda data, at: turned_round(data, at + 4, 6),
        "glyphs-twice": lambda data, at: patched(data, at + 4 + 6 * 2, data[at + 4 + 6:at + 4 + 6 + 2]),
        "glyphs-count": lambda data, at: patched(data, at, u32(0xFFFFFFFF)),
        "glyphs-more": lambda data, at: patched(data, at, u32(1000)),
        "glyphs-none": lambda data, at: patched(data, at, u32(0)),
        "layers-count": lambda data, _: patched(data, number(data, LAYER_LIST), u32(0xFFFFFFFF)),
        "flat-count": lambda data, _: patched(data, 2, u16(0xFFFF)),
        "flat-layers-count": lambda data, _: patched(data, 12, u16(0xFFFF)),
    }
    for change, changed in changes.items():
        font = hostile(f"lists-{change}")
        for name in ("first", "second", "third"):
            font.add(name, CIRCLE, draws=None)
        font.add_layers("flat", [("circle", "red"), ("dot", "blue")], draws=None)
        font.cases[0]["draws"] = None
        font.color_table = lambda data, changed=changed: changed(data, number(data, GLYPH_LIST))
        yield font


def others():
    font = hostile("version2")
    font.cases[0]["draws"] = None
    font.color_table = lambda data: patched(data, 0, u16(2))
    yield font
    font = hostile("no-cpal")
    font.cases[0]["draws"] = None
    font.add("foreground", glyph("circle", solid(FOREGROUND)), "needs no palette", draws=None)
    font.palette_table = None
    yield font
    font = hostile("svg-only", face="outline")
    document = b'<svg xmlns="http://www.w3.org/2000/svg"><circle id="glyph%d" cx="640" cy="-350" r="500" fill="#f00"/></svg>'
    font.palette_table = None

    def svg(numbers):
        face = numbers["grinning"]
        text = document % face
        return u16(0) + u32(10) + u32(0) + u16(1) + u16(face) + u16(face) + u32(14) + u32(len(text)) + text

    font.svg_table = svg
    yield font
    font = hostile("no-color", face="outline")
    font.palette_table = None
    yield font
    font = hostile("empty-outline")
    font.add("alone", glyph("empty", solid("blue")), "the outline has no points", draws=False)
    font.add("nested", glyph("circle", glyph("empty", solid("blue"))), draws=False)
    font.add("layer", layers(glyph("empty", solid("blue")), CIRCLE), "the first layer has no points")
    font.add("group", composite("dest_out", glyph("empty", solid("blue")), CIRCLE), "the source has no points", vector=False)
    font.add("boxed", glyph("empty", solid("blue")), "a box, but no points", draws=False, box=BOX)
    font.add_layers("flat", [("empty", "blue")], draws=False)
    yield font


def fonts():
    for font in (cycle, bomb, deep, groups, points, fills, stops, matrix, palette, formats):
        yield font()
    for several in (cuts, offsets, clip, lists, others):
        yield from several()
