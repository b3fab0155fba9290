# SPDX-License-Identifier: Apache-2.0
"""The fonts of COLR version 0 of fonts/make.py: one for layers, and two for texts, of which each lacks what the other has."""

from color_table import FOREGROUND
from font import UPM, Font

FROG = [("ears", "green"), ("circle", "green"), ("eyes", "white"), ("smile", "black")]
FOX = [("tips", "orange"), ("circle", "orange"), ("eyes", "black"), ("tongue", "white")]


def flat():
    font = Font("layers-0", face="layers", palette_count=2)
    font.add_layers("one", [("circle", "blue")])
    font.add_layers("overlapping", [("square", "yellow"), ("circle", "red"), ("star", "white"), ("dot", "black")])
    font.add_layers("translucent", [("upper", "glass"), ("lower", "glass")], "the overlap is darker")
    font.add_layers("foreground", [("circle", FOREGROUND), ("dot", "white")], "the colour of the text")
    font.add_layers("clear", [("circle", "clear"), ("dot", "blue")], "the first layer is clear")
    font.add_layers("star", [("star", "violet")], "crosses itself: filled by the nonzero rule")
    font.add_layers("ring", [("ring", "green")], "a hole")
    font.add_layers("all_clear", [("circle", "clear")], draws=False)
    font.add_layers("empty_layer", [("empty", "red"), ("circle", "green")], "the first layer has no outline")
    font.add_layers("no_outline", [("empty", "red")], draws=False)
    font.add_layers("no_layers", [], draws=False)
    font.add_layers("many", [("circle", "glass"), ("dot", "red")] * 100, "200 layers")
    font.add_layers("frog", FROG)
    font.add_layers("fox", FOX)
    # The name of a shape: its own glyph is one of its layers.
    font.add_layers("heart", [("heart", "red"), ("gloss", "white")], "the glyph is its own first layer")
    return font


def small():
    """Its faces are 0.7 ems wide. It has the frog, and three sequences in one spelling only, and lacks the fox."""
    font = Font("small", advance=UPM, scale=0.7, face="layers")
    font.add_layers("frog", FROG, code=0x1F438)
    font.add_layers("woman", [("circle", "yellow"), ("eyes", "black")], code=0x1F469)
    font.add_layers("rocket_alone", [("rocket", "blue")], code=0x1F680)
    font.add_layers("rainbow", [("ring", "violet"), ("dot", "yellow")], code=0x1F308)
    font.add_layers("white_flag", [("pole", "black"), ("cloth", "glass")], code=0x1F3F3)
    font.add_outline("heart_alone", "heart", 0x2764)
    font.codes |= {0xFE0F: "selector", 0x200D: "joiner"}
    font.add_sequence("heart_red", "❤️", [("heart", "red")], "only with U+FE0F; without it, an outline without colours")
    font.add_sequence("astronaut", "👩‍🚀", [("circle", "white"), ("disc", "yellow"), ("eyes", "black")])
    flag = [("pole", "black"), ("cloth", "red"), ("dot", "yellow")]
    font.add_sequence("rainbow_flag", "🏳️‍🌈", flag, "only fully qualified; without U+FE0F, several glyphs")
    return font


def following():
    font = Font("next", face="layers")
    frog = [(shape, "violet" if color == "green" else color) for shape, color in FROG]
    font.add_layers("frog", frog, "violet, where the first font has green", code=0x1F438)
    font.add_layers("fox", FOX, "the first font lacks it", code=0x1F98A)
    return font


def fonts():
    yield flat()
    yield small()
    yield following()
