"""Lists links in Markdown pages under a folder whose target file is missing, and fails if there are any.

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
