# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""Pictures of these pages, as SVG: points and lines in a frame, with what they mean beside them."""

WIDTH, HEIGHT, LEFT, TOP = 640, 400, 60, 20
COLOURS = ["#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd", "#8c564b", "#e377c2", "#7f7f7f", "#bcbd22", "#17becf"]


def draw(path, x, series, *, title, across, up, points=False):
    """Writes a picture of {name: values}, over one x or over one for each name."""
    xs = x if isinstance(x, dict) else dict.fromkeys(series, x)
    low_x, high_x = min(min(v) for v in xs.values()), max(max(v) for v in xs.values())
    low_y, high_y = min(min(v) for v in series.values()), max(max(v) for v in series.values())
    wide, high = WIDTH - LEFT - 110, HEIGHT - TOP - 50
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">',
        f"<title>{title}</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        f'<rect x="{LEFT}" y="{TOP}" width="{wide}" height="{high}" fill="none" stroke="#888"/>',
        f'<text x="{LEFT + wide / 2}" y="{HEIGHT - 12}" text-anchor="middle">{across}</text>',
        f'<text x="16" y="{TOP + high / 2}" text-anchor="middle" transform="rotate(-90 16 {TOP + high / 2})">{up}</text>',
    ]
    for value, at in ((low_x, LEFT), (high_x, LEFT + wide)):
        parts.append(f'<text x="{at}" y="{TOP + high + 16}" text-anchor="middle">{value:.3g}</text>')
    for value, at in ((low_y, TOP + high), (high_y, TOP + 12)):
        parts.append(f'<text x="{LEFT - 4}" y="{at}" text-anchor="end">{value:.3g}</text>')
    for i, (name, values) in enumerate(series.items()):
        colour = COLOURS[i % len(COLOURS)]
        places = [
            (LEFT + wide * (a - low_x) / (high_x - low_x), TOP + high * (high_y - b) / (high_y - low_y))
            for a, b in zip(xs[name], values)
        ]
        if points:
            circles = "".join(f'<circle cx="{a:.1f}" cy="{b:.1f}" r="2"/>' for a, b in places)
            parts.append(f'<g fill="{colour}" fill-opacity="0.6">{circles}</g>')
        else:
            line = " ".join(f"{a:.1f},{b:.1f}" for a, b in places)
            parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="1.5"/>')
        parts.append(f'<text x="{LEFT + wide + 10}" y="{TOP + 14 + 16 * i}" fill="{colour}">{name}</text>')
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join([*parts, "</svg>", ""]))
