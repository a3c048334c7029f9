"""Names the links in Markdown pages under a folder that lead to no file, and fails if there is one.

Usage: broken-links.py FOLDER
"""

import re
import sys
from pathlib import Path

LINK = re.compile(r"\]\(([^)#\s]+)[^)]*\)")

folder = Path(sys.argv[1])
broken = [
    f"{page.relative_to(folder)}: {target}"
    for page in sorted(folder.rglob("*.md"))
    for target in LINK.findall(page.read_text())
    if ":" not in target and not (page.parent / target).exists()
]
print("\n".join(broken), end="\n" if broken else "")
sys.exit(bool(broken))
