"""Adds README.md and CHANGELOG.md to the site, leads links out of docs/ to their pages or to the repository, and ranks found pages."""

import os
import posixpath
import re

from mkdocs.structure.files import File

ROOT = os.path.join(os.path.dirname(__file__), "..", "..")
PAGES = {"README.md": "index.md", "CHANGELOG.md": "changelog.md"}
# What a user looks for stands in the guide, more often than in the records of developers.
BOOST = {"guide": 2, "internals": 0.5, "adr": 0.5}
LINK = re.compile(r"(\]\()([^)#\s:]+)((?:#[^)]*)?\))")


def on_files(files, config):
    for source, page in PAGES.items():
        with open(os.path.join(ROOT, source), encoding="utf-8") as text:
            files.append(File.generated(config, page, content=text.read()))
    return files


def on_page_markdown(markdown, page, config, files):
    page.meta.setdefault("search", {"boost": BOOST.get(page.file.src_uri.split("/")[0], 1)})
    # The folder of the page's source within the repository.
    source = {made: of for of, made in PAGES.items()}.get(page.file.src_uri, "docs/" + page.file.src_uri)

    def lead(link):
        target = posixpath.normpath(posixpath.join(posixpath.dirname(source), link.group(2)))
        if target in PAGES:
            there = PAGES[target]
        elif target.startswith("docs/") and files.get_file_from_path(target[len("docs/") :]) is not None:
            there = target[len("docs/") :]
        elif os.path.exists(os.path.join(ROOT, target)):
            return f"{link.group(1)}{os.environ['CAIRN_PROJECT_URL']}/blob/main/{target}{link.group(3)}"
        else:
            return link.group(0)
        return link.group(1) + posixpath.relpath(there, posixpath.dirname(page.file.src_uri) or ".") + link.group(3)

    return LINK.sub(lead, markdown)
