# SPDX-License-Identifier: Apache-2.0
"""A font of fonts/make.py: colour glyphs and shapes become NAME.ttf or NAME.otf, and NAME.json, which lists the glyphs."""

import json

from fontTools.feaLib.builder import addOpenTypeFeaturesFromString
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.t2CharStringPen import T2CharStringPen
from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.ttLib.tables.DefaultTable import DefaultTable

from color_table import ColorTable, glyph, layers, palettes, solid
from shapes import CENTRE, SHAPES

UPM, ASCENT, DESCENT, ADVANCE = 1000, 950, -250, 1275
GRINNING = 0x1F600
# Where glyphs without a meaning are: emoji, because a document holds no character of private use, and no label without an emoji. All have
# emoji presentation (Unicode 6.0). Without the frog and the rainbow.
PLACES = [code for first, last in [(0x1F300, 0x1F320), (0x1F32D, 0x1F335), (0x1F337, 0x1F37C), (0x1F37E, 0x1F393), (0x1F3A0, 0x1F3CA),
                                   (0x1F3E0, 0x1F3F0), (0x1F400, 0x1F43E)]
          for code in range(first, last + 1) if code not in (0x1F438, 0x1F308)]
# The first of January 2024, in seconds since 1904.
MADE = 3_786_912_000
FACE = [("circle", "yellow"), ("eyes", "black"), ("smile", "red")]


class Font:
    """`outlines` is glyf, CFF or CFF2. `scale` is the size of the shapes about the centre of the advance."""

    def __init__(self, name, outlines="glyf", advance=ADVANCE, scale=1.0, face=None, palette_count=1):
        self.name, self.outlines, self.advance, self.scale, self.palette_count = name, outlines, advance, scale, palette_count
        self.shapes = dict(SHAPES)
        self.paints, self.flat_layers, self.boxes, self.codes, self.cases = {}, {}, {}, {}, []
        self.sequences = {}
        self.has_axis = False
        # What changes the bytes of COLR and CPAL before they are written, what makes those of SVG from the numbers of glyphs, and None for no such table.
        self.color_table, self.palette_table, self.svg_table = bytes, bytes, None
        if face == "paint":
            self.add("grinning", layers(*(glyph(shape, solid(color)) for shape, color in FACE)), "a face", code=GRINNING)
        elif face == "layers":
            self.add_layers("grinning", FACE, "a face", code=GRINNING)
        elif face == "outline":
            self.add_outline("grinning", "circle", GRINNING)

    def add(self, name, paint, notes="", *, draws=True, exact=True, vector=True, box=None, code=None):
        self.paints[name] = paint
        if box:
            self.boxes[name] = box
        paints = paint.paints()
        self.case(name, code, notes, draws, exact, vector, sorted({paint.format for paint in paints}),
                  sorted({paint.mode for paint in paints if isinstance(paint.mode, str)}))

    def add_layers(self, name, flat, notes="", *, draws=True, code=None):
        self.flat_layers[name] = flat
        self.case(name, code, notes, draws, True, True, [], [])

    def add_outline(self, name, shape, code):
        """A glyph without colours."""
        self.shapes[name] = self.shapes[shape]
        self.codes[code] = name

    def add_sequence(self, name, text, flat, notes=""):
        """One glyph for several code points, which have glyphs."""
        self.flat_layers[name] = flat
        self.sequences[name] = text
        self.cases.append({"codepoint": ord(text[0]), "text": text, "name": name, "draws": True, "exact": True, "vector": True, "notes": notes})

    def case(self, name, code, notes, draws, exact, vector, formats, modes):
        code = code or next(code for code in PLACES if code not in self.codes)
        self.codes[code] = name
        self.cases.append({"codepoint": code, "text": chr(code), "name": name, "formats": formats, "modes": modes, "draws": draws, "exact": exact,
                           "vector": vector, "notes": notes})

    def place(self, x, y):
        """Where a point of a shape is in the font."""
        return round((x - CENTRE[0]) * self.scale + (CENTRE[0] if self.scale == 1 else self.advance / 2)), round((y - CENTRE[1]) * self.scale + CENTRE[1])

    def drawn(self, pen, shape):
        for contour in shape:
            contour.draw(pen, self.place, self.outlines != "glyf")
        return pen

    def save(self, folder):
        colored = [*self.paints, *self.flat_layers]
        order = [".notdef", *self.shapes, *(name for name in [*colored, *self.codes.values()] if name not in self.shapes)]
        order = list(dict.fromkeys(order))
        builder = FontBuilder(UPM, isTTF=self.outlines == "glyf")
        builder.updateHead(created=MADE, modified=MADE)
        builder.setupGlyphOrder(order)
        builder.setupCharacterMap(self.codes)
        shapes = {name: self.shapes.get(name, []) for name in order}
        lefts = dict.fromkeys(order, 0)
        if self.outlines == "glyf":
            glyphs = {name: self.drawn(TTGlyphPen(None), shape).glyph() for name, shape in shapes.items()}
            builder.setupGlyf(glyphs)
            for made in glyphs.values():
                if len(getattr(made, "coordinates", ())) > 0x8000:
                    self.make_signed(made)
            lefts = {name: getattr(made, "xMin", 0) for name, made in glyphs.items()}
        elif self.outlines == "CFF":
            strings = {name: self.drawn(T2CharStringPen(self.advance, None), shape).getCharString() for name, shape in shapes.items()}
            builder.setupCFF(f"Test-{self.name}", {}, strings, {})
        else:
            builder.setupCFF2({name: self.drawn(T2CharStringPen(None, None, CFF2=True), shape).getCharString() for name, shape in shapes.items()})
        builder.setupHorizontalMetrics({name: (self.advance, lefts[name]) for name in order})
        builder.setupHorizontalHeader(ascent=ASCENT, descent=DESCENT)
        # What a design demands is known by its family.
        family = "OpenMoji, not the real one" if self.name == "next" else f"Test {self.name}"
        builder.setupNameTable({"familyName": family, "styleName": "Regular"})
        builder.setupOS2(sTypoAscender=ASCENT, sTypoDescender=DESCENT, usWinAscent=ASCENT, usWinDescent=-DESCENT)
        builder.setupPost()
        if self.has_axis:
            builder.setupFvar([("MOVE", 0, 0, 1, "Move")], [])
            builder.setupStat([{"tag": "MOVE", "name": "Move", "values": [{"value": 0, "name": "None", "flags": 2}]}])
        font = builder.font
        if self.sequences:
            rules = "".join(f"sub {' '.join(self.codes[ord(character)] for character in text)} by {name};\n" for name, text in self.sequences.items())
            addOpenTypeFeaturesFromString(font, f"feature ccmp {{\n{rules}}} ccmp;")
        numbers = font.getReverseGlyphMap()
        if colored:
            self.put(font, "COLR", self.color_table(ColorTable(numbers, self.paints, self.flat_layers, self.boxes).bytes()))
        if self.palette_table:
            self.put(font, "CPAL", self.palette_table(palettes(self.palette_count)))
        if self.svg_table:
            self.put(font, "SVG ", self.svg_table(numbers))
        font.save(folder / f"{self.name}.{'ttf' if self.outlines == 'glyf' else 'otf'}")
        for case in self.cases:
            if case["draws"] is False:
                case |= {"exact": None, "vector": None}
        lines = ",\n".join(json.dumps(case, ensure_ascii=False) for case in sorted(self.cases, key=lambda case: case["text"]))
        (folder / f"{self.name}.json").write_text(f"[\n{lines}\n]\n")

    @staticmethod
    def make_signed(made):
        """Earlier versions of fontTools write the last point of a contour as a signed number, of the same bytes."""
        try:
            made.compileCoordinates()
        except OverflowError:
            made.endPtsOfContours = [end - 0x10000 if end > 0x7FFF else end for end in made.endPtsOfContours]

    @staticmethod
    def put(font, tag, data):
        font[tag] = table = DefaultTable(tag)
        table.data = data
