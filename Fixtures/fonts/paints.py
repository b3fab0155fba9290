# SPDX-License-Identifier: Apache-2.0
"""The fonts paints-1 of fonts/make.py: a glyph for each kind of paint of COLR version 1, and for each way in which it is drawn."""

from color_table import (FOREGROUND, MODES, affine, color_glyph, composite, faded, glyph, layers, linear, radial, rotated, scaled, scaled_evenly, skewed,
                         solid, sweep, translated)
from font import Font
from shapes import ACROSS, BOX, CENTRE, near

RAINBOW = [(0, "red"), (0.5, "yellow"), (1, "blue")]
PART = [(0.25, "red"), (0.5, "yellow"), (0.75, "blue")]
WIDE = [(-0.5, "red"), (0.5, "yellow"), (1.5, "blue")]
HARD = [(0, "red"), (0.5, "red"), (0.5, "blue"), (1, "blue")]
FADING = [(0, "red"), (1, "blue", 0)]
CFF_GLYPHS = ("solid", "glyph.ring", "glyph.star", "glyph.nested", "linear.pad", "radial.focal", "sweep.full", "affine.of_glyph", "mode.multiply",
              "group.faded", "box.cuts", "like.face", "like.sun")


def bands(*colors):
    """Stops without a change between them but at their edges."""
    return [((number + end) / len(colors), color) for number, color in enumerate(colors) for end in (0, 1)]


def solids(add):
    add("solid", glyph("circle", solid("blue")))
    add("solid.alpha", glyph("circle", solid("blue", 0.25)))
    add("solid.translucent", glyph("circle", solid("glass", 0.5)), "the alpha of the palette and that of the paint are multiplied: 0.25")
    add("solid.clear", glyph("circle", solid("blue", 0)), "all of it is clear", draws=False)
    add("solid.too_opaque", glyph("circle", solid("blue", 1.5)), "an alpha of 1.5 is 1")
    add("solid.too_clear", glyph("circle", solid("blue", -0.5)), "an alpha below 0 is 0", draws=False)
    add("solid.foreground", glyph("circle", solid(FOREGROUND)), "the colour of the text")
    add("solid.foreground.alpha", glyph("circle", solid(FOREGROUND, 0.5)))
    add("solid.boxed", solid("green"), "no outline: the box is filled", box=BOX, vector=None)
    add("solid.unbounded", solid("green"), "neither an outline nor a box: the specification has it undrawn", draws=None, vector=None)
    add("solid.variable", glyph("circle", solid("blue", 0.5, varies=True)))


def lists(add):
    add("layers", layers(glyph("square", solid("yellow")), glyph("circle", solid("red")), glyph("dot", solid("white"))))
    add("layers.nested", layers(glyph("square", solid("yellow")), layers(glyph("upper", solid("red", 0.5)), glyph("lower", solid("blue", 0.5)))))
    add("layers.none", layers(), draws=False)
    shared = glyph("upper", solid("red", 0.5))
    add("layers.shared", layers(shared, shared, translated(shared, 100, -100)), "three layers of one paint")
    add("layers.many", layers(*(glyph("square", solid(("blue", "red")[number % 2], 0.02)) for number in range(200))), "200 layers, each rounded", exact=False)
    add("glyph.ring", glyph("ring", solid("violet")), "a hole")
    add("glyph.star", glyph("star", solid("violet")), "crosses itself: filled by the nonzero rule, so its middle is filled")
    add("glyph.nested", glyph("circle", glyph("star", glyph("left", solid("red")))), "within three outlines")
    add("glyph.of_layers", glyph("star", layers(glyph("left", solid("red")), glyph("dot", solid("blue")))), "layers within an outline")
    add("glyph.apart", glyph("left", translated(glyph("left", solid("red")), 600, 0)), "two outlines that do not overlap", draws=False)
    add("color_glyph", color_glyph("layers"))
    add("color_glyph.moved", translated(scaled_evenly(color_glyph("layers"), 0.5), 300, 100))
    add("color_glyph.boxed", color_glyph("box.cuts"), "the box of the other glyph cuts it")
    add("color_glyph.boxed.turned", rotated(color_glyph("box.cuts"), 45, CENTRE), "the box of the other glyph is turned")
    add("color_glyph.both_boxed", color_glyph("box.cuts"), "cut by both boxes", box=(340, -150, 1140, 850))
    add("color_glyph.in_glyph", glyph("star", color_glyph("layers")))


def linears(add):
    left, right, top, bottom = near(-500, 0), near(500, 0), near(0, 500), near(0, -500)
    short = near(-100, 0), near(100, 0), near(-100, 200)
    for extend in ("pad", "repeat", "reflect"):
        add(f"linear.{extend}", glyph("circle", linear(*short, RAINBOW, extend)))
        add(f"linear.{extend}.part", glyph("circle", linear(*ACROSS, PART, extend)), "stops from 0.25 to 0.75: what is between them is continued")
        skewed_fill = linear(near(-100, -100), near(100, 0), near(0, 200), RAINBOW, extend)
        add(f"linear.{extend}.skewed", glyph("circle", skewed_fill), "the third point is not at right angles")
        equal = linear(*ACROSS, [(0.5, "red"), (0.5, "blue")], extend)
        add(f"linear.{extend}.equal", glyph("circle", equal), "all stops at one offset", exact=False, draws=True if extend == "pad" else None)
    add("linear.down", glyph("circle", linear(top, bottom, near(1000, 500), RAINBOW)))
    add("linear.wide", glyph("circle", linear(*ACROSS, WIDE)), "stops outside 0 to 1")
    add("linear.unsorted", glyph("circle", linear(*ACROSS, [(1, "blue"), (0, "red"), (0.5, "yellow")])), "stops are sorted by readers", draws=None)
    add("linear.hard", glyph("circle", linear(*ACROSS, HARD)), "two stops at one offset are an edge")
    add("linear.single", glyph("circle", linear(*ACROSS, [(0.5, "green")])), "one stop: a solid colour")
    add("linear.fading", glyph("circle", linear(*ACROSS, FADING)), "mixed without premultiplying")
    add("linear.foreground", glyph("circle", linear(*ACROSS, [(0, FOREGROUND), (1, "yellow")])))
    add("linear.point", glyph("circle", linear(left, left, top, RAINBOW)), "both ends at one place: not drawn", exact=False, draws=None)
    add("linear.along", glyph("circle", linear(left, right, near(300, 0), RAINBOW)), "the third point on the line: not drawn", exact=False, draws=None)
    add("linear.boxed", linear(*ACROSS, RAINBOW), "no outline: the box is filled", box=BOX, vector=None)
    add("linear.variable", glyph("circle", linear(*ACROSS, RAINBOW, varies=True)))


def radials(add):
    for extend in ("pad", "repeat", "reflect"):
        circles = {
            "": ("circle", (CENTRE, 0, CENTRE, 200), "one centre", True),
            ".ring": ("square", (CENTRE, 150, CENTRE, 300), "one centre, the inner circle has a radius", None),
            ".cone": ("square", (near(-250, 0), 50, near(200, 0), 200), "neither circle is in the other", False),
            ".shrinking": ("square", (near(-250, 0), 200, near(200, 0), 50), "the second circle is smaller", False),
            ".strip": ("square", (near(-150, 0), 200, near(150, 0), 200), "equal circles", False),
            ".inwards": ("square", (CENTRE, 400, CENTRE, 0), "one centre, to the inside", None),
        }
        for name, (shape, ends, notes, vector) in circles.items():
            add(f"radial.{extend}{name}", glyph(shape, radial(*ends, RAINBOW, extend)), notes, vector=vector)
        add(f"radial.{extend}.part", glyph("circle", radial(CENTRE, 0, CENTRE, 500, PART, extend)), "stops from 0.25 to 0.75", vector=None)
    add("radial.focal", glyph("circle", radial(near(-150, 150), 0, near(-50, 50), 550, RAINBOW)), "the first circle is a point in the second")
    add("radial.focal.inner", glyph("circle", radial(near(-150, 150), 100, near(-50, 50), 450, RAINBOW)), "the first circle is in the second", vector=None)
    add("radial.focal.inwards", glyph("circle", radial(near(-50, 50), 450, near(-150, 150), 0, RAINBOW)), "the second circle is a point in the first")
    add("radial.touching", glyph("square", radial(near(-200, 0), 0, near(100, 0), 300, RAINBOW)), "the point is on the circle", vector=None)
    add("radial.wide", glyph("circle", radial(CENTRE, 100, CENTRE, 300, WIDE)), "stops outside 0 to 1, the first at a radius of 0", vector=None)
    add("radial.negative", glyph("circle", radial(CENTRE, 50, CENTRE, 300, WIDE)), "the first stop has a radius below 0", vector=None)
    add("radial.hard", glyph("circle", radial(CENTRE, 0, CENTRE, 500, HARD)))
    add("radial.single", glyph("circle", radial(CENTRE, 0, CENTRE, 500, [(0.5, "green")])))
    add("radial.fading", glyph("circle", radial(CENTRE, 0, CENTRE, 500, FADING)))
    add("radial.same", glyph("circle", radial(CENTRE, 200, CENTRE, 200, RAINBOW)), "equal circles at one place: not drawn", exact=False, draws=None)
    add("radial.boxed", radial(CENTRE, 0, CENTRE, 500, RAINBOW), "no outline: the box is filled", box=BOX, vector=None)
    add("radial.variable", glyph("circle", radial(CENTRE, 0, CENTRE, 500, RAINBOW, varies=True)))


def sweeps(add):
    def one(name, *values, **options):
        add(f"sweep.{name}", glyph("circle", sweep(CENTRE, *values)), exact=False, vector=False, **options)

    one("full", 0, 360, [*RAINBOW[:2], (1, "red")])
    one("hard", 0, 360, [(0, "red"), (0.25, "red"), (0.25, "yellow"), (0.5, "yellow"), (0.5, "blue"), (1, "blue")])
    for extend in ("pad", "repeat", "reflect"):
        one(extend, 30, 90, RAINBOW, extend, notes="from 30 to 90 degrees")
        one(f"{extend}.back", 300, 60, RAINBOW, extend, notes="from 300 to 60 degrees", draws=None)
        one(f"{extend}.equal", 90, 90, RAINBOW, extend, notes="from 90 to 90 degrees", draws=True if extend == "pad" else None)
    one("late", 180, 539, RAINBOW, notes="beyond a turn")
    one("early", -180, 180, RAINBOW, notes="from before the first degree")
    one("part", 0, 360, PART)
    one("wide", 90, 270, WIDE)
    one("single", 0, 360, [(0.5, "green")])
    one("fading", 0, 360, FADING)
    add("sweep.boxed", sweep(CENTRE, 0, 360, RAINBOW), "no outline: the box is filled", box=BOX, exact=False, vector=False)
    add("sweep.variable", glyph("circle", sweep(CENTRE, 45, 315, RAINBOW, varies=True)), exact=False, vector=False)


def transforms(add):
    fill = linear(near(-150, 0), near(150, 0), near(-150, 300), HARD)
    kinds = {
        "affine": lambda paint, varies: affine(paint, 0.8, 0.3, -0.4, 0.7, 300, -50, varies),
        "translated": lambda paint, varies: translated(paint, 150, -80, varies),
        "scaled": lambda paint, varies: scaled(paint, 0.5, 1.2, None, varies),
        "scaled.around": lambda paint, varies: scaled(paint, 0.5, 1.2, CENTRE, varies),
        "scaled.mirrored": lambda paint, varies: scaled(paint, -1, 1, CENTRE, varies),
        "evenly": lambda paint, varies: scaled_evenly(paint, 0.6, None, varies),
        "evenly.around": lambda paint, varies: scaled_evenly(paint, 0.6, near(-300, -400), varies),
        "rotated": lambda paint, varies: rotated(paint, 20, None, varies),
        "rotated.around": lambda paint, varies: rotated(paint, -60, CENTRE, varies),
        "skewed": lambda paint, varies: skewed(paint, 20, -10, None, varies),
        "skewed.around": lambda paint, varies: skewed(paint, 30, 10, CENTRE, varies),
    }
    for name, transformed in kinds.items():
        add(f"{name}.of_glyph", transformed(glyph("hook", solid("green")), False))
        add(f"{name}.of_fill", glyph("square", transformed(fill, False)), "the outline stays")
        add(f"{name}.variable", transformed(glyph("hook", fill), True), "outline and fill together")
    add("transforms.chained", rotated(scaled(skewed(translated(glyph("hook", fill), 50, 50), 10, 0), 0.7, 0.9, CENTRE), 30, CENTRE))
    add("affine.of_radial", glyph("square", affine(radial(CENTRE, 0, CENTRE, 400, RAINBOW), 1, 0, 0.3, 0.5, -100, 175)), "an ellipse")
    add("rotated.of_sweep", glyph("circle", rotated(sweep(CENTRE, 0, 360, RAINBOW), 90, CENTRE)), exact=False, vector=False)


def composites(add):
    source, backdrop = glyph("upper", solid("yellow", 0.8)), glyph("lower", solid("blue", 0.8))
    for mode in MODES:
        add(f"mode.{mode}", composite(mode, source, backdrop), draws=mode != "clear", vector=MODES.index(mode) <= 4)
    shaded = glyph("square", linear(*ACROSS, RAINBOW))
    across = glyph("circle", linear(near(0, -500), near(0, 500), near(1000, -500), [(0, "black"), (1, "white")]))
    for mode in ("screen", "overlay", "color_dodge", "color_burn", "hard_light", "soft_light",
                 "hsl_hue", "hsl_saturation", "hsl_color", "hsl_luminosity"):
        add(f"mode.{mode}.opaque", composite(mode, across, shaded), "gradients that are opaque", vector=False)
    add("group.faded", faded(layers(source, backdrop), 0.5), "src_in with a solid colour is the opacity of a group")
    add("group.faded.twice", faded(layers(faded(layers(source, backdrop), 0.5), glyph("dot", solid("red"))), 0.5))
    add("group.faded.palette", composite("src_in", layers(source, backdrop), solid("glass")), "the alpha of the palette counts")
    add("group.faded.turned", composite("dest_in", solid("black", 0.5), layers(source, backdrop)), "dest_in with a solid colour is the same", vector=None)
    add("group.cut", composite("src_in", layers(source, backdrop), glyph("star", solid("black"))), "an opaque shape", vector=False)
    add("group.masked", composite("src_in", layers(source, backdrop), glyph("square", linear(*ACROSS, FADING))), "a shape that fades", vector=False)
    add("group.in_group", composite("xor", composite("xor", source, backdrop), glyph("dot", solid("red"))), vector=False)
    add("group.turned", rotated(composite("dest_out", source, backdrop), 90, CENTRE), vector=False)
    add("group.in_glyph", glyph("star", composite("plus", source, backdrop)), vector=False)
    add("group.over_fill", glyph("circle", composite("multiply", solid("yellow"), linear(*ACROSS, RAINBOW))),
        "fills are mixed within an outline", vector=False)
    add("group.above", layers(glyph("square", solid("green")), composite("dest_out", source, backdrop)), "what is below the group stays", vector=False)


def boxes(add):
    add("box.cuts", glyph("circle", solid("orange")), "the box cuts right and top", box=(140, -150, 840, 550))
    add("box.fits", glyph("circle", solid("orange")), "the box cuts nothing", box=BOX)
    add("box.wide", glyph("circle", solid("orange")), "the box is larger", box=(0, -250, 1275, 950))
    add("box.empty", glyph("circle", solid("orange")), "a box without an area", draws=False, box=(640, -150, 640, 850))
    add("box.apart", glyph("circle", solid("orange")), "the box is elsewhere", draws=False, box=(2000, 0, 3000, 1000))
    add("box.variable", glyph("circle", solid("orange")), "a box of the variable format", box=(240, -50, 1040, 750, 0))
    add("box.of_group", faded(layers(glyph("upper", solid("red")), glyph("lower", solid("blue"))), 0.5), box=(340, -150, 940, 850))


def likenesses(add):
    skin = radial(near(-120, 180), 0, CENTRE, 520, [(0, "white"), (0.35, "yellow"), (1, "orange")])
    mouth = glyph("smile", layers(glyph("smile", solid("black")), glyph("tongue", solid("red"))))
    add("like.face", layers(glyph("circle", skin), glyph("eyes", solid("black")), mouth), box=BOX)
    add("like.ray", glyph("ray", solid("orange")))
    add("like.sun", layers(*(rotated(color_glyph("like.ray"), 30 * number, CENTRE) for number in range(12)), glyph("disc", skin)), "a glyph that is turned 12 times")
    gloss = faded(glyph("gloss", linear(near(-220, 370), near(-220, 190), near(-40, 370), [(0, "white"), (1, "white", 0)])), 0.8)
    heart = glyph("heart", linear(near(0, 460), near(0, -500), near(960, 460), [(0, "red"), (1, "violet")]))
    add("like.heart", layers(heart, rotated(gloss, 25, near(-220, 280))))
    stripes = bands("red", "orange", "yellow", "green", "blue", "violet")
    add("like.flag", layers(glyph("pole", solid("black")), glyph("cloth", linear(near(0, 460), near(0, -100), near(560, 460), stripes))), "hard edges")
    ball = sweep(CENTRE, 0, 360, bands("red", "white", "blue", "white", "yellow", "white"))
    add("like.ball", layers(glyph("circle", ball), glyph("dot", solid("white"))), exact=False, vector=False)
    shade = glyph("circle", radial(near(-150, 150), 0, CENTRE, 500, [(0, "white"), (1, "violet")]))
    add("like.button", composite("multiply", shade, glyph("circle", solid("yellow"))), vector=False)
    add("like.ghost", layers(glyph("square", solid("blue")), faded(layers(glyph("circle", solid("white")), glyph("eyes", solid("black"))), 0.6)))


def paints(name="paints-1", outlines="glyf"):
    font = Font(name, outlines, face="paint")
    wanted = None if outlines == "glyf" else {*CFF_GLYPHS, "like.ray"}

    def add(glyph_name, *values, **options):
        if wanted is None or glyph_name in wanted:
            font.add(glyph_name, *values, **options)

    for part in (solids, lists, linears, radials, sweeps, transforms, composites, boxes, likenesses):
        part(add)
    font.has_axis = wanted is None
    return font


def fonts():
    yield paints()
    yield paints("paints-1-cff", "CFF")
    yield paints("paints-1-cff2", "CFF2")
