"""Write what people read to terminals and files that do not know all characters."""

from __future__ import annotations

import codecs
import io
import unicodedata
from typing import Final

ERRORS: Final = "searchbench.letters"


def write_letters(stream: object) -> None:
    """Have a stream write letters for chess figurines, and ? for others, where its encoding lacks the characters."""
    if isinstance(stream, io.TextIOWrapper) and not stream.encoding.lower().startswith("utf"):
        codecs.register_error(ERRORS, _in_letters)
        stream.reconfigure(errors=ERRORS)


def _in_letters(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeEncodeError)
    return "".join(map(_letter, error.object[error.start : error.end])), error.end


def _letter(character: str) -> str:
    """Return the letter of a figurine, which Unicode calls "WHITE CHESS KNIGHT", say: a capital for White."""
    match unicodedata.name(character, "").split():
        case [side, "CHESS", man]:
            letter = "N" if man == "KNIGHT" else man[0]
            return letter if side == "WHITE" else letter.lower()
    return "?"
