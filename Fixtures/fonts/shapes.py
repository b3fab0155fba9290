# SPDX-License-Identifier: Apache-2.0
"""The outlines that the glyphs of fonts/make.py are made of."""

import math

# All shapes lie within 1,000 units about this point, which is the centre of the box of an emoji.
CENTRE = (640, 350)


def near(x, y):
    """A point from its place about the centre."""
    return CENTRE[0] + x, CENTRE[1] + y


# The box of all shapes, a box that cuts them, and the three points of a linear gradient from the left to the right of them.
BOX, QUARTER = (140, -150, 1140, 850), (140, -150, 640, 350)
ACROSS = near(-500, 0), near(500, 0), near(-500, 1000)


class Ellipse:
    def __init__(self, centre, width, height, is_hole=False):
        self.centre, self.radii, self.is_hole = centre, (width / 2, height / 2), is_hole

    def at(self, degrees, length=1.0):
        radians = math.radians(degrees if self.is_hole else -degrees)
        return self.centre[0] + length * self.radii[0] * math.cos(radians), self.centre[1] + length * self.radii[1] * math.sin(radians)

    def draw(self, pen, place, is_cubic):
        pen.moveTo(place(*self.at(0)))
        if is_cubic:
            # How far the control points of a quarter lie from its ends.
            reach = 4 / 3 * math.tan(math.pi / 8)
            for start in range(0, 360, 90):
                ends, sides = (self.at(start), self.at(start + 90)), (self.at(start + 90), self.at(start))
                near_ends = [tuple(end + reach * (side - centre) for end, side, centre in zip(*pair, self.centre)) for pair in zip(ends, sides)]
                pen.curveTo(place(*near_ends[0]), place(*near_ends[1]), place(*ends[1]))
        else:
            for start in range(0, 360, 45):
                pen.qCurveTo(place(*self.at(start + 22.5, 1 / math.cos(math.pi / 8))), place(*self.at(start + 45)))
        pen.closePath()


class Polygon:
    def __init__(self, *points):
        self.points = points

    def draw(self, pen, place, is_cubic):
        pen.moveTo(place(*self.points[0]))
        for point in self.points[1:]:
            pen.lineTo(place(*point))
        pen.closePath()


def circle(x, y, diameter, is_hole=False):
    return Ellipse(near(x, y), diameter, diameter, is_hole)


def rectangle(left, bottom, right, top):
    return Polygon(near(left, bottom), near(left, top), near(right, top), near(right, bottom))


def star(count, step, radius=500):
    """A star of one line, which crosses itself."""
    return Polygon(*(near(radius * math.sin(math.tau * step * i / count), radius * math.cos(math.tau * step * i / count)) for i in range(count)))


SHAPES = {
    "circle": [circle(0, 0, 1000)],
    "square": [rectangle(-500, -500, 500, 500)],
    "ring": [circle(0, 0, 1000), circle(0, 0, 500, is_hole=True)],
    "star": [star(5, 2)],
    "disc": [circle(0, 0, 600)],
    "dot": [circle(0, 0, 300)],
    "block": [rectangle(-300, -300, 300, 300)],
    # Neither turned nor mirrored it is the same.
    "hook": [Polygon(near(-300, -400), near(-300, 400), near(300, 400), near(300, 200), near(-100, 200), near(-100, -400))],
    "left": [rectangle(-500, -500, 0, 500)],
    "upper": [circle(-120, 150, 600)],
    "lower": [circle(120, -150, 600)],
    "eyes": [Ellipse(near(-170, 110), 120, 180), Ellipse(near(170, 110), 120, 180)],
    "smile": [Polygon(near(-280, -90), near(280, -90), near(200, -260), near(0, -330), near(-200, -260))],
    "tongue": [circle(0, -330, 240)],
    "ears": [circle(-300, 350, 300), circle(300, 350, 300)],
    "tips": [Polygon(near(-450, 100), near(-450, 500), near(-100, 350)), Polygon(near(450, 100), near(100, 350), near(450, 500))],
    "ray": [Polygon(near(-60, 320), near(0, 500), near(60, 320))],
    "heart": [circle(-240, 200, 520), circle(240, 200, 520), Polygon(near(-470, 80), near(0, 400), near(470, 80), near(0, -500))],
    "gloss": [Ellipse(near(-220, 280), 260, 180)],
    "pole": [rectangle(-500, -500, -420, 500)],
    "cloth": [rectangle(-420, -100, 500, 460)],
    "rocket": [Polygon(near(0, 500), near(180, 150), near(180, -250), near(350, -500), near(-350, -500), near(-180, -250), near(-180, 150))],
    "empty": [],
}
