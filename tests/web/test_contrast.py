"""Texts stand out from their ground: at least 4.5 to 1, light and dark, on pages and in drawings."""

from __future__ import annotations

import re

import pytest

from searchbench.drawing import palette
from searchbench.web.app import ASSETS

LEAST = 4.5


def luminance(colour: str) -> float:
    """Return the relative luminance of a colour such as "#2d5f93" (WCAG 2.2)."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """Return how much two colours differ, from 1 to 21."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def themes() -> dict[str, dict[str, str]]:
    """Return the colours of the pages, light and dark."""
    style = (ASSETS / "style.css").read_text()
    found = {}
    for name, selector in (("light", ":root {"), ("dark", ':root[data-theme="dark"] {')):
        block = style[style.index(selector) : style.index("}", style.index(selector))]
        found[name] = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", block))
    return found


def test_the_contrast_of_known_colours() -> None:
    assert contrast("#ffffff", "#000000") == pytest.approx(21)
    assert contrast("#2f7d4f", "#e3f1e8") == pytest.approx(4.32, abs=0.01)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_texts_of_pages(theme: str) -> None:
    colours = themes()[theme]
    pairs = [
        ("ink", "page"),
        ("ink", "panel"),
        ("muted", "page"),
        ("muted", "panel"),
        ("muted", "soft"),
        ("accent", "panel"),
    ]
    pairs += [
        ("accent-ink", "accent"),
        ("accent", "number-soft"),
        ("muted", "soft"),
        ("panel", "win"),
        ("panel", "loss"),
    ]
    pairs += [(kind, f"{kind}-soft") for kind in ("win", "draw", "loss", "number")]
    pairs += [(kind, "panel") for kind in ("win", "draw", "loss", "number")]
    for text, ground in pairs:
        assert contrast(colours[text], colours[ground]) >= LEAST, (text, ground)


@pytest.mark.parametrize("colours", [palette._LIGHT, palette._DARK], ids=["light", "dark"])
def test_texts_in_drawings(colours: dict[str, str]) -> None:
    pairs = [
        ("tile-ink", "tile"),
        ("peg-ink", "peg"),
        ("first-ink", "first"),
        ("second-ink", "second"),
        ("count", "hole"),
        ("ink", "ground"),
    ]
    for text, ground in pairs:
        assert contrast(colours[text], colours[ground]) >= LEAST, (text, ground)


def test_letters_on_stickers() -> None:
    letters = dict(re.findall(r"\.on-sb-face-(\d)\{fill:(#\w+)\}", palette.STYLE))
    for face, colour in enumerate(palette._FACES):
        text = letters[str(face)]
        assert contrast(text if len(text) == 7 else "#ffffff", colour) >= LEAST, face
