# SPDX-License-Identifier: Apache-2.0
"""Reads an SVG picture as a person does, and compares it with lists in JSON.

Arguments: the picture, and files with lists. The lists of single axes say where a
rank stands on them: it is the first, second, ... member of its group.
"""
import json
import re
import sys
import xml.etree.ElementTree as tree

COLOURS, PATTERNS = 8, 4

lists = {}
for file in sys.argv[2:]:
    lists.update(json.load(open(file))["lists"])


def tag(group):
    """a to z, aa, ab, ..."""
    word, n = "", group + 1
    while n > 0:
        n, letter = divmod(n - 1, 26)
        word = chr(ord("a") + letter) + word
    return word


def look(group):
    pattern = group // COLOURS % PATTERNS
    return [f"c{group % COLOURS}"] + ([f"p{pattern}"] if pattern else [])


class Panel:
    """One list: its groups, what was drawn, what it says of the rest."""

    def __init__(self, name, view):
        assert name in lists, f"there is no list {name}"
        self.name, self.view, self.groups = name, view, lists[name]
        self.of = {r: g for g, ranks in enumerate(self.groups) for r in ranks}
        self.drawn, self.tagged, self.keys = [], {}, 0
        self.frames, self.columns, self.row, self.header = [], {}, None, None

    def stands(self, rank, label):
        """A rank is where a label says: "b 3", or "b 0–7"."""
        axis, first, last = re.fullmatch(r"(.*) (\d+)(?:–(\d+))?", label).groups()
        if axis == "instance":
            return
        along = lists[self.view + axis]
        at = next(g.index(rank) for g in along if rank in g)
        assert int(first) <= at <= int(last or first), \
            f"{self.name}: rank {rank} is at {at}, not at {label}"

    def cell(self, rank, rects, x, y):
        group = self.of.get(rank)
        assert rects == (["bare"] if group is None else look(group)), \
            f"{self.name}: the colour of rank {rank} is {rects}"
        self.drawn.append(rank)
        for (left, top, width, height), label in self.frames:
            if left < x < left + width and top < y < top + height:
                self.stands(rank, label)
        if self.row and abs(self.row[0] - y) <= 2:
            self.stands(rank, self.row[1])
        if self.columns.get(x):
            self.stands(rank, self.columns[x])

    def key(self, mark, rects, words):
        group = self.groups[self.keys]
        shown = [int(n) for n in re.findall(r"\d+", words)]
        assert mark == tag(self.keys) and rects == look(self.keys), \
            f"{self.name}: key {self.keys} is {mark} in {rects}"
        assert shown == group or (len(group) > 8 and "…" in words and
                                  shown == group[:3] + group[-1:]), \
            f"{self.name}: key {mark} has {words}, not {group}"
        self.keys += 1

    def finish(self, cut):
        assert self.tagged == {r: tag(self.of[r]) for r in self.drawn if r in self.of}
        assert len(set(self.drawn)) == len(self.drawn), "a rank stands twice"
        assert self.keys == min(len(self.groups), 16)
        assert cut or set(self.of) <= set(self.drawn), "a rank is missing"


panels, panel, view, rects, mark, rank, frame = [], None, "", [], None, None, None
cut = False
for e in tree.parse(sys.argv[1]).iter():
    style, words = e.get("class", "").removeprefix("serry-"), e.text or ""
    x, y = (int(float(e.get(k, 0))) for k in "xy")
    cut |= "are drawn" in words
    if style == "head":
        view = words[5:] + "." if words.startswith("view ") else ""
    elif style == "list":
        panel = Panel(words, view)
        panels.append(panel)
    elif style == "note" and re.match(r"\d+ groups? of", words):
        assert int(words.split()[0]) == len(panel.groups), words
    elif style == "frame":
        frame = x, y, int(e.get("width")), int(e.get("height"))
        panel.columns = {}
    elif style == "axis" and frame:
        panel.frames.append((frame, words))
        frame = None
    elif style == "axis":
        panel.header, panel.columns = words, {}
    elif style == "col" and words[0] != "⋯":
        panel.columns[x] = words if " " in words else f"{panel.header} {words}"
    elif style == "row":
        panel.row = y, words
    elif e.tag.endswith("rect") and re.fullmatch(r"[cp]\d+|bare", style):
        rects = rects + [style] if style[0] == "p" else [style]
    elif style == "rank" and words.isdigit():
        rank = int(words)
        panel.cell(rank, rects, x, y)
    elif style == "tag":
        panel.tagged[rank] = words
    elif style == "mark":
        mark = words
    elif style == "key":
        panel.key(mark, rects, words)
for panel in panels:
    panel.finish(cut)
assert panels, "nothing is drawn"
