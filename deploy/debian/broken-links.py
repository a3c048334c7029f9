"""Lists links in Markdown pages under a folder whose target file is missing, and fails if there are any.

Usage: broken-links.py FOLDER
"""

import re
import sys
from pathlib import Path

LINK = re.compile(r"\]\(([^)#\s]+)[^)]*\)")

# The source code is not in the package.
CODE = ("Sources", "Tests", "clients/tests")

folder = Path(sys.argv[1]).resolve()
broken = [
    f"{page.relative_to(folder)}: {target}"
    for page in sorted(folder.rglob("*.md"))
    for target in LINK.findall(page.read_text())
    if ":" not in target and not (page.parent / target).exists()
    and not str((page.parent / target).resolve().relative_to(folder)).startswith(CODE)
]
print("\n".join(broken), end="\n" if broken else "")
sys.exit(bool(broken))
