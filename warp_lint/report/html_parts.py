"""Elements of the HTML page: escaping, tags, style."""

from __future__ import annotations

import html

STYLE = """
:root { --ink:#1c2430; --soft:#5b6676; --line:#d9dee6; --page:#fff; --panel:#f6f7f9; --read:#2f6fdb;
  --write:#2a8a57; --clear:#b7791f; --bad:#d0342c; --good:#2a8a57; }
@media (prefers-color-scheme: dark) { :root { --ink:#e6e9ee; --soft:#9aa5b5; --line:#323a46; --page:#14181e;
  --panel:#1b2129; --read:#6ea3ff; --write:#5cc48d; --clear:#e0b052; --bad:#ff6b61; --good:#5cc48d; } }
* { box-sizing:border-box }
body { margin:0; background:var(--page); color:var(--ink); font:15px/1.5 system-ui,-apple-system,"Segoe UI",sans-serif }
main { max-width:1180px; margin:0 auto; padding:28px 24px 60px }
h1 { font-size:22px; margin:0 0 2px }
h2 { font-size:17px; margin:34px 0 10px }
.soft { color:var(--soft) }
code,.mono,pre { font-family:ui-monospace,"SF Mono",Menlo,Consolas,monospace; font-size:13px }
pre { overflow-x:auto }
.verdict { border-left:5px solid var(--soft); background:var(--panel); padding:12px 16px; margin:18px 0;
  border-radius:4px }
.verdict.wrong { border-color:var(--bad) }
.verdict.right { border-color:var(--good) }
.card { border:1px solid var(--line); border-radius:6px; padding:12px 16px; margin:10px 0 }
.card dl { display:grid; grid-template-columns:110px 1fr; gap:2px 12px; margin:8px 0 0 }
dt { color:var(--soft) }
dd { margin:0; overflow-wrap:anywhere }
.tag { display:inline-block; padding:0 7px; border-radius:9px; font-size:12px; border:1px solid currentColor;
  margin-right:6px }
.error,.confirmed { color:var(--bad) }
.warning { color:var(--clear) }
.info,.refuted { color:var(--read) }
.scroll { overflow-x:auto; border:1px solid var(--line); border-radius:6px; background:var(--panel) }
svg { display:block }
svg text { fill:var(--ink); font:12px ui-monospace,Menlo,Consolas,monospace }
svg .dim { fill:var(--soft) }
svg .r { fill:var(--panel); stroke:var(--read); stroke-width:1.6 }
svg .w { fill:var(--write) }
svg .c { fill:var(--clear) }
svg .o { fill:none; stroke:var(--bad); stroke-width:2 }
svg .a { fill:none; stroke:var(--bad); stroke-width:1.4 }
svg .lane { stroke:var(--line) }
svg .back { stroke:var(--bad); stroke-dasharray:3 3 }
svg .hit { fill:transparent }
svg .frame { fill:var(--panel); stroke:var(--line) }
svg .diagonal { stroke:var(--soft); stroke-dasharray:4 3 }
svg .near { fill:var(--good); fill-opacity:.8 }
svg .far { fill:var(--bad); fill-opacity:.8 }
.tape { display:flex }
.labels { position:sticky; left:0; background:var(--panel); border-right:1px solid var(--line); z-index:1; flex:none }
.plots { display:flex; flex-wrap:wrap; gap:18px }
figure { margin:0 }
figcaption { font-size:13px; color:var(--soft) }
.legend span { margin-right:16px; white-space:nowrap }
.legend i { display:inline-block; width:11px; height:11px; margin-right:5px; vertical-align:-1px }
.legend .r { border:2px solid var(--read); border-radius:50% }
.legend .w { background:var(--write) }
.legend .c { background:var(--clear); transform:rotate(45deg) }
.legend .o { border:2px solid var(--bad) }
"""


def text(value: object) -> str:
    return html.escape(str(value))


def message(value: object) -> str:
    """A message: what is in back-quotes becomes code."""
    parts = text(value).split("`")
    return "".join(f"<code>{part}</code>" if i % 2 else part for i, part in enumerate(parts))


def tag(name: str, inner: str = "", **attributes: object) -> str:
    """An element. `_` in attribute names stands for `-`; `cls` for `class`; numbers are kept short."""
    pairs = []
    for key, value in attributes.items():
        key = {"cls": "class"}.get(key, key.replace("_", "-"))
        shown = f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else str(value)
        pairs.append(f'{key}="{html.escape(shown)}"')
    head = " ".join([name, *pairs])
    return f"<{head}>{inner}</{name}>"


def title(value: object) -> str:
    """What a mark says when the pointer rests on it."""
    return f"<title>{text(value)}</title>"


def shortened(value: str, length: int) -> str:
    return value if len(value) <= length else value[: length - 1] + "…"
