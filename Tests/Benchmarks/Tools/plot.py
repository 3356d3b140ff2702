"""Draws what the benchmarks found: goals.png, every ratio beside its goal, and cost.png, the table of costs."""

import json
import math
import pathlib
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plot  # noqa: E402 - the backend is chosen first

KEPT, MISSED, LIMIT = "#2f7d4f", "#b3402a", "#444444"
WAYS = [("baton", "o-", "#b3402a"), ("baton again", "s-", "#c28a1d"), ("friend", "^-", "#2f7d4f")]


def main() -> None:
    folder = pathlib.Path(sys.argv[1])
    findings = [json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))]
    rows = [row for finding in findings for row in finding["rows"] if "none" not in row["goal"]]
    draw_goals(rows, folder / "goals.png")
    for finding in findings:
        if finding["benchmark"] == "cost":
            draw_costs(finding["table"], folder / "cost.png")


def median(values: list[float]) -> float:
    values = sorted(values)
    return (values[(len(values) - 1) // 2] + values[len(values) // 2]) / 2


def ratio_of(measured: list[float], against: list[float]) -> float:
    """Of pairs where both were measured in turns, of the medians otherwise."""
    if len(measured) != len(against):
        return median(measured) / median(against)
    return median([one / other for one, other in zip(measured, against)])


def draw_goals(rows: list[dict], path: pathlib.Path) -> None:
    """How far each ratio is from its goal: left of the line it is kept, whichever way the goal points."""
    figure, axes = plot.subplots(figsize=(11, 0.42 * len(rows) + 1.2))
    for place, row in enumerate(rows):
        ratio = ratio_of(row["measured"]["values"], row["against"]["values"])
        (kind, goal), = row["goal"].items()
        goal = goal["_0"]
        distance = ratio / goal if kind == "atMost" else goal / ratio
        axes.barh(place, math.log10(distance), color=KEPT if distance <= 1 else MISSED, height=0.6)
        sign = "≤" if kind == "atMost" else "≥"
        axes.text(0.01, place, f" {ratio:.3g} (goal {sign} {goal:.3g})", va="center", fontsize=8)
    axes.set_yticks(range(len(rows)), [label(row) for row in rows], fontsize=8)
    axes.invert_yaxis()
    axes.axvline(0, color=LIMIT)
    low, high = axes.get_xlim()
    axes.set_xlim(low, max(high, 0.8))
    ticks = range(math.floor(low), 2)
    axes.set_xticks(ticks, [f"{10.0 ** tick:g} ×" for tick in ticks])
    axes.set_xlabel("distance to the goal: left of the line it is kept")
    figure.savefig(path, dpi=130, bbox_inches="tight")


def label(row: dict) -> str:
    return f"{row['name']}\nagainst {row['against']['name']}"


def draw_costs(table: dict, path: pathlib.Path) -> None:
    lines = sorted(table["lines"])
    lengths = [line[0] for line in lines]
    titles = [name.split(": ")[1] for name in table["head"][1:5]]
    figure, panels = plot.subplots(1, 4, figsize=(15, 3.6))
    for column, (axes, title) in enumerate(zip(panels, titles)):
        for way, (name, style, color) in enumerate(WAYS):
            values = [line[1 + 4 * way + column] for line in lines]
            axes.plot(lengths, values, style, color=color, label=name)
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        axes.set_xticks(lengths, [f"{length:g}" for length in lengths], fontsize=8)
        axes.set_title(title, fontsize=10)
        axes.set_xlabel("shared history, tokens", fontsize=9)
        axes.grid(alpha=0.3)
    panels[0].legend()
    figure.tight_layout()
    figure.savefig(path, dpi=130)


if __name__ == "__main__":
    main()
