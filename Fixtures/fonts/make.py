#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the colour fonts of tests in a folder, with a list of the glyphs of each. Fixtures/fonts/README.md says what they are.

usage: Fixtures/fonts/make.py FOLDER

Needs the package python3-fonttools. The fonts are in paints.py, flat.py and hostile.py; font.py writes a font of color_table.py and shapes.py.
"""
import pathlib
import sys

sys.dont_write_bytecode = True
try:
    import flat
    import hostile
    import paints
except ImportError as fault:
    sys.exit(f"make.py: {fault}: install the package python3-fonttools, and start the python3 that has it")

if len(sys.argv) != 2:
    sys.exit("usage: make.py FOLDER")
folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
for module in (paints, flat, hostile):
    for font in module.fonts():
        font.save(folder)
