"""Build the site: add the pages that are made from the code to those in docs/, and give links out of docs/ a page.

MkDocs calls the functions named ``on_...``. The generated pages (reference, gallery, matrix, papers, sources) are never
files in docs/: they cannot grow stale.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

from gallery import gallery_pages
from matrix import matrix_page
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from papers import paper_navigation, paper_pages
from reference import reference_pages

from searchbench.drawing import STYLE

ROOT: Final = Path(__file__).resolve().parents[2]
OUTSIDE: Final = re.compile(r"\]\(((?:\.\./)+)([^)#]+)(#[^)]*)?\)")
"""A link that may lead out of docs/: the way up, the path, the place in the page."""
SESSION: Final = re.compile(r"^```python\n>>>", re.MULTILINE)
"""How a session with Python begins: its prompts and answers are not copied."""
LANGUAGES: Final = {".py": "python", ".md": "markdown", ".toml": "toml"}
DRAWINGS: Final = "pictures/drawings.css"
"""The style sheet of the drawings, which is generated."""

_pages: dict[str, str] = {}
"""The generated pages: path in the site's sources, text."""


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Make the generated pages, and put them into the navigation."""
    _pages.clear()
    assert config.nav is not None
    for section, found in {
        "API": reference_pages(),
        "Gallery": gallery_pages(),
        "Papers": paper_pages(),
        "Games and solvers": {"matrix.md": matrix_page()},
    }.items():
        _pages.update(found)
        _fill(config.nav, section, paper_navigation() if section == "Papers" else list(found))
    config.extra_css.append(DRAWINGS)
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the generated pages, and a page for each file of the project that a page links to."""
    sources = {path for file in files.documentation_pages() for path in _outside(file.src_uri, file.content_string)}
    for path in sorted(sources):
        _pages[_source_page(path)] = _shown(ROOT / path)
    for path, text in {**_pages, DRAWINGS: drawing_style()}.items():
        files.append(File.generated(config, path, content=text))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Let links out of docs/ lead to the pages that show those files; the start page needs no list of itself."""
    if page.file.src_uri == "index.md":
        page.meta["hide"] = ["navigation"]

    def inside(found: re.Match[str]) -> str:
        path = _path_in_project(page.file.src_uri, found[1] + found[2])
        if path is None:
            return found[0]
        up = "../" * page.file.src_uri.count("/")
        return f"]({up}{'index.md' if path == 'README.md' else _source_page(path)}{found[3] or ''})"

    return SESSION.sub("```pycon\n>>>", OUTSIDE.sub(inside, markdown))


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:
    """Name the search for readers of screens."""
    return output.replace(
        'data-md-component="search" role="dialog"', 'data-md-component="search" role="dialog" aria-label="Search"'
    )


def drawing_style() -> str:
    """Return the style sheet of all drawings; dark where the reader has chosen the site's dark colours."""
    return re.sub(
        r":root(\[data-theme=\"dark\"\]|:not\(\[data-theme=\"light\"\]\))", '[data-md-color-scheme="slate"]', STYLE
    )


def _fill(nav: list[Any], section: str, pages: list[Any]) -> None:
    """Put pages into the empty section of this name, wherever it is in the navigation."""
    for entry in nav:
        for name, below in entry.items() if isinstance(entry, dict) else ():
            if name == section:
                entry[name] = pages if len(pages) > 1 else pages[0]
            elif isinstance(below, list):
                _fill(below, section, pages)


def _outside(page: str, text: str) -> set[str]:
    """Return the files of the project outside docs/ that a page links to, but for the README, which is the start page."""
    found = {_path_in_project(page, up + path) for up, path, _ in OUTSIDE.findall(text)}
    return {path for path in found if path is not None and path != "README.md"}


def _path_in_project(page: str, link: str) -> str | None:
    """Return where a link of a page in docs/ leads, from the project's folder; None for a page of docs/."""
    target = (ROOT / "docs" / page).parent.joinpath(link).resolve()
    if target.is_relative_to(ROOT / "docs") or not target.is_relative_to(ROOT) or not target.exists():
        return None
    return target.relative_to(ROOT).as_posix()


def _source_page(path: str) -> str:
    return f"source/{path}.md"


def _shown(path: Path) -> str:
    """Return a page that shows a file, or lists a folder."""
    name = path.relative_to(ROOT).as_posix()
    if path.is_dir():
        return f"# {name}\n\n" + "\n\n".join(_shown(file).replace("# ", "## ", 1) for file in sorted(path.glob("*.py")))
    return f"# {name}\n\n```{LANGUAGES.get(path.suffix, 'text')}\n{path.read_text().rstrip()}\n```\n"
