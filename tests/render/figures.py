# SPDX-License-Identifier: Apache-2.0
"""figures.py SVG-FOLDER PNG-FOLDER: are the figures sound and alike in size?"""
import pathlib
import re
import struct
import sys
import xml.etree.ElementTree as tree
import zlib

SVG = "{http://www.w3.org/2000/svg}"
wrong, ids = [], {}


def check_svg(path):
    """Returns width and height in points."""
    root = tree.parse(path).getroot()
    raw = path.read_text(encoding="utf-8")
    titles = [e.text or "" for e in root.iter(SVG + "title")]
    if root.tag != SVG + "svg" or not titles or len(titles[0]) < 20:
        wrong.append(f"{path}: no svg with a title")
    shown = root.find(SVG + "desc")
    if shown is None or shown.text in titles or not re.search(r"\d", shown.text):
        wrong.append(f"{path}: does not say what it shows, with its number")
    elif shown.attrib["id"] != root.attrib.get("aria-describedby"):
        wrong.append(f"{path}: what it shows is not told to who does not see it")
    if not any(e.text and e.text.strip() for e in root.iter() if e.tag == SVG + "text"):
        wrong.append(f"{path}: no text")
    for e in root.iter():
        name = e.tag.removeprefix(SVG)
        if name in ("script", "foreignObject", "image", "iframe", "style") and (
                name != "style" or "@import" in (e.text or "")):
            wrong.append(f"{path}: <{name}>")
        for key, value in e.attrib.items():
            if key.startswith("on") or "javascript:" in value:
                wrong.append(f"{path}: {key}={value}")
            if key.endswith("href") and not value.startswith(("#", "https://")):
                wrong.append(f"{path}: {key}={value} comes from outside")
            if re.search(r"\b(nan|inf)\b", value):
                wrong.append(f"{path}: {key}={value}")
        if "id" in e.attrib:
            if e.attrib["id"] in ids:
                wrong.append(f"{path}: id {e.attrib['id']} is also in {ids[e.attrib['id']]}")
            ids[e.attrib["id"]] = path
    used = set(re.findall(r'(?:url\(#|href="#)([^)"]+)', raw))
    for name in used - set(ids):
        wrong.append(f"{path}: {name} is used and nowhere defined")
    return [float(x) for x in root.attrib["viewBox"].split()[2:]]


def check_png(path):
    """Returns width and height in pixels."""
    raw = path.read_bytes()
    if raw[:8] != b"\x89PNG\r\n\x1a\n":
        wrong.append(f"{path}: no PNG")
    at, data, kinds = 8, b"", []
    while at < len(raw):
        length, kind = struct.unpack(">I4s", raw[at:at + 8])
        body = raw[at + 8:at + 8 + length]
        if zlib.crc32(kind + body) != struct.unpack(">I", raw[at + 8 + length:at + 12 + length])[0]:
            wrong.append(f"{path}: {kind} is damaged")
        kinds.append(kind)
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", body[:10])
        data += body if kind == b"IDAT" else b""
        at += 12 + length
    if kinds[-1] != b"IEND" or b"tIME" in kinds:
        wrong.append(f"{path}: chunks {kinds}")
    rows, channels = zlib.decompress(data), {2: 3, 6: 4}[colour]
    if len(rows) != height * (1 + width * channels * depth // 8):
        wrong.append(f"{path}: {len(rows)} bytes do not make {width} x {height}")
    if len(set(rows)) < 16:
        wrong.append(f"{path}: blank")
    return width, height


svg, png = map(pathlib.Path, sys.argv[1:])
for picture in sorted(svg.iterdir()):
    points = check_svg(picture)
    size = check_png(png / (picture.stem + ".png"))
    if any(abs(2 * p - q) > 2 for p, q in zip(points, size)):
        wrong.append(f"{picture}: {points} points, {size} pixels")
print("\n".join(wrong))
sys.exit(1 if wrong else 0)
