# SPDX-License-Identifier: Apache-2.0
"""Writes the tables COLR and CPAL for fonts/make.py, as https://learn.microsoft.com/typography/opentype/spec/colr has them.

fontTools has a builder of its own, but that sorts, checks and rounds: it makes no table that is damaged, and none with stops that are not in order.
"""

import struct

MODES = ("clear", "src", "dest", "src_over", "dest_over", "src_in", "dest_in", "src_out", "dest_out", "src_atop", "dest_atop", "xor", "plus", "screen",
         "overlay", "darken", "lighten", "color_dodge", "color_burn", "hard_light", "soft_light", "difference", "exclusion", "multiply", "hsl_hue",
         "hsl_saturation", "hsl_color", "hsl_luminosity")
EXTENDS = ("pad", "repeat", "reflect")
FOREGROUND = 0xFFFF
# Of each colour: its red, green, blue and alpha in the first palette, and in the second.
COLORS = {
    "red": ((229, 57, 53, 255), (120, 20, 20, 255)),
    "blue": ((30, 100, 220, 255), (20, 40, 120, 255)),
    "yellow": ((255, 204, 51, 255), (240, 240, 240, 255)),
    "green": ((67, 160, 71, 255), (20, 90, 30, 255)),
    "black": ((38, 30, 40, 255), (250, 250, 250, 255)),
    "white": ((255, 255, 255, 255), (10, 10, 10, 255)),
    "glass": ((0, 160, 220, 128), (200, 0, 200, 128)),
    "orange": ((251, 140, 0, 255), (160, 80, 0, 255)),
    "clear": ((255, 0, 0, 0), (0, 255, 0, 0)),
    "violet": ((142, 36, 170, 255), (70, 10, 90, 255)),
}
NUMBERS = {name: number for number, name in enumerate(COLORS)}
# The formats of paints with fields that vary.
VARIABLE = {number for number in range(3, 32, 2) if number != 11}
# The deltas of variable fields. All paints take the first ones.
DELTAS = 16


def u8(value):
    return struct.pack(">B", value)


def u16(value):
    return struct.pack(">H", value)


def s16(*values):
    return struct.pack(f">{len(values)}h", *values)


def u24(value):
    return struct.pack(">I", value)[1:]


def u32(value):
    return struct.pack(">I", value)


def f2dot14(*values):
    return s16(*(max(-32768, min(32767, round(value * 16384))) for value in values))


def fixed(*values):
    return struct.pack(f">{len(values)}i", *(max(-1 << 31, min((1 << 31) - 1, round(value * 65536))) for value in values))


def angle(*degrees):
    return f2dot14(*(value / 180 for value in degrees))


def color_number(color):
    return NUMBERS[color] if isinstance(color, str) else color


class Node:
    """A part of the table: bytes, names of glyphs, of which the numbers are written, and nodes, of which the offsets are."""

    def __init__(self, *parts):
        self.parts = parts

    def paints(self):
        """This paint and those below it, each once, without what other glyphs have."""
        found, waiting = {}, [self]
        while waiting:
            node = waiting.pop()
            if id(node) not in found:
                found[id(node)] = node
                waiting += [part for part in (*node.parts, *getattr(node, "layers", ())) if isinstance(part, Node)]
        return [node for node in found.values() if isinstance(node, Paint)]


class Paint(Node):
    def __init__(self, format, *parts, mode=None):
        super().__init__(u8(format), *parts)
        self.format, self.mode = format, mode


class Layers(Paint):
    """Layers in the list of the table. They may be added later, so that a layer has itself in it."""

    def __init__(self, *layers):
        super().__init__(1)
        self.layers = list(layers)
        self.first = None


def paint(format, *parts, varies=False):
    """A paint, or the variable one, which has the next number and an index of deltas at its end."""
    return Paint(format + 1, *parts, u32(0)) if varies else Paint(format, *parts)


def layers(*paints):
    return Layers(*paints)


def solid(color, alpha=1.0, varies=False):
    return paint(2, u16(color_number(color)), f2dot14(alpha), varies=varies)


def line(stops, extend="pad", varies=False):
    """A colour line. A stop is an offset, a colour, and an alpha unless that is 1."""
    kind = EXTENDS.index(extend) if isinstance(extend, str) else extend
    written = [f2dot14(at) + u16(color_number(color)) + f2dot14(*(alpha or (1,))) + (u32(0) if varies else b"") for at, color, *alpha in stops]
    return Node(u8(kind), u16(len(stops)), *written)


def linear(start, end, turned, stops, extend="pad", varies=False):
    """A linear gradient from a point to a point; colours go along the lines that are parallel to that from the start to `turned`."""
    return paint(4, line(stops, extend, varies), s16(*start, *end, *turned), varies=varies)


def radial(start, start_radius, end, end_radius, stops, extend="pad", varies=False):
    return paint(6, line(stops, extend, varies), s16(*start), u16(start_radius), s16(*end), u16(end_radius), varies=varies)


def sweep(centre, start, end, stops, extend="pad", varies=False):
    """A gradient about a centre, from an angle to an angle, in degrees against the clock from the right. They are stored less 180 degrees."""
    return paint(8, line(stops, extend, varies), s16(*centre), angle(start - 180, end - 180), varies=varies)


def glyph(shape, child):
    """A paint within an outline."""
    return Paint(10, child, shape)


def color_glyph(name):
    return Paint(11, name)


def affine(child, xx, yx, xy, yy, dx, dy, varies=False):
    return Paint(12 + varies, child, Node(fixed(xx, yx, xy, yy, dx, dy), u32(0) if varies else b""))


def translated(child, x, y, varies=False):
    return paint(14, child, s16(x, y), varies=varies)


def around(format, child, values, centre, varies):
    return paint(format + 2, child, values, s16(*centre), varies=varies) if centre else paint(format, child, values, varies=varies)


def scaled(child, x, y, centre=None, varies=False):
    return around(16, child, f2dot14(x, y), centre, varies)


def scaled_evenly(child, scale, centre=None, varies=False):
    return around(20, child, f2dot14(scale), centre, varies)


def rotated(child, degrees, centre=None, varies=False):
    return around(24, child, angle(degrees), centre, varies)


def skewed(child, x, y, centre=None, varies=False):
    return around(28, child, angle(x, y), centre, varies)


def composite(mode, source, backdrop):
    number = MODES.index(mode) if isinstance(mode, str) else mode
    return Paint(32, source, u8(number), backdrop, mode=mode)


def faded(child, alpha):
    """A group that is translucent as a whole, as fonts write it."""
    return composite("src_in", child, solid("black", alpha))


class ColorTable:
    """The table COLR: paints and layers of glyphs by their names, and boxes, which have four sides and a fifth number if they are variable."""

    def __init__(self, glyph_numbers, paints, flat_layers, boxes=None):
        self.glyph_numbers, self.painted, self.flat_layers, self.boxes = glyph_numbers, paints, flat_layers, boxes or {}
        self.layers = []

    def ordered(self, named):
        return sorted(named.items(), key=lambda item: self.glyph_numbers[item[0]])

    def version_0(self, header_length):
        """The fields of the header, and what they lead to."""
        records, leaves = b"", b""
        for name, flat in self.ordered(self.flat_layers):
            records += u16(self.glyph_numbers[name]) + u16(len(leaves) // 4) + u16(len(flat))
            leaves += b"".join(u16(self.glyph_numbers[shape]) + u16(color_number(color)) for shape, color in flat)
        first = header_length if records else 0
        second = header_length + len(records) if leaves else 0
        return u16(len(records) // 6) + u32(first) + u32(second) + u16(len(leaves) // 4), records + leaves

    def written(self, node):
        """A node with all that it leads to behind it."""
        if isinstance(node, Layers):
            if node.first is None:
                node.first = len(self.layers)
                self.layers += node.layers
            return u8(1) + u8(len(node.layers)) + u32(node.first)
        length = sum(3 if isinstance(part, Node) else 2 if isinstance(part, str) else len(part) for part in node.parts)
        head, tail = b"", b""
        for part in node.parts:
            if isinstance(part, Node):
                head += u24(length + len(tail))
                tail += self.written(part)
            else:
                head += u16(self.glyph_numbers[part]) if isinstance(part, str) else part
        return head + tail

    def glyph_list(self):
        painted = self.ordered(self.painted)
        records, bodies = b"", b""
        for name, root in painted:
            records += u16(self.glyph_numbers[name]) + u32(4 + 6 * len(painted) + len(bodies))
            bodies += self.written(root)
        return u32(len(painted)) + records + bodies

    def layer_list(self):
        """Writing a layer may add layers."""
        bodies, places, offsets = b"", {}, []
        for layer in self.layers:
            if id(layer) not in places:
                places[id(layer)] = len(bodies)
                bodies += self.written(layer)
            offsets.append(places[id(layer)])
        return u32(len(offsets)) + b"".join(u32(4 + 4 * len(offsets) + offset) for offset in offsets) + bodies

    def clip_list(self):
        boxes = self.ordered(self.boxes)
        records, bodies = b"", b""
        for name, box in boxes:
            records += 2 * u16(self.glyph_numbers[name]) + u24(5 + 7 * len(boxes) + len(bodies))
            bodies += u8(len(box) - 3) + s16(*box[:4]) + b"".join(map(u32, box[4:]))
        return u8(1) + u32(len(boxes)) + records + bodies

    def bytes(self):
        if not self.painted:
            fields, body = self.version_0(14)
            return u16(0) + fields + body
        fields, body = self.version_0(34)
        header = u16(1) + fields
        has_deltas = any(paint.format in VARIABLE for root in self.painted.values() for paint in root.paints())
        for part in (self.glyph_list(), self.layer_list(), self.clip_list() if self.boxes else b"", b"", variations() if has_deltas else b""):
            header += u32(34 + len(body) if part else 0)
            body += part
        return header + body


def variations():
    """An ItemVariationStore with one axis, and a delta of 100 for each field: one that is not at its default looks otherwise."""
    regions = u16(1) + u16(1) + f2dot14(0, 1, 1)
    deltas = u16(DELTAS) + u16(1) + u16(1) + u16(0) + s16(*[100] * DELTAS)
    return u16(1) + u32(12) + u16(1) + u32(12 + len(regions)) + regions + deltas


def palettes(count):
    """The table CPAL."""
    colors = [both[number] for number in range(count) for both in COLORS.values()]
    records = b"".join(bytes((blue, green, red, alpha)) for red, green, blue, alpha in colors)
    first = b"".join(u16(number * len(COLORS)) for number in range(count))
    return u16(0) + u16(len(COLORS)) + u16(count) + u16(count * len(COLORS)) + u32(12 + len(first)) + first + records
