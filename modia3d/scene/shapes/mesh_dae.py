"""COLLADA documents: their geometry alone, whatever becomes of its looks, and which of the looks can be read.

The readers of others leave out geometry whose material, texture, normals or texture coordinates are broken, without a word.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree
from xml.parsers import expat

PRIMITIVES = ("triangles", "tristrips", "trifans", "polylist", "polygons")
KEPT = ("asset", "library_geometries", "library_nodes", "library_visual_scenes", "scene")
"""Parts of a document that say which triangles are where."""

LOOKS = ("bind_material", "extra", "instance_camera", "instance_light", "lines", "linestrips")
SIZES = re.compile(rb"<(?:\w+:)?(?:float_array|accessor|triangles|polylist|polygons|input)\b[^>]*>")


class Unreadable(ValueError):
    """Error that says in words why a file is not read."""


def check_collada(content: bytes) -> None:
    """Refuse content that may grow without bounds: entities, sizes larger than the file. Raises Unreadable, with the line."""
    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler = _refuse
    try:
        parser.Parse(content, True)
    except (expat.ExpatError, LookupError, ValueError) as error:
        raise error if isinstance(error, Unreadable) else Unreadable(f"XML that is not well-formed: {error}") from None
    for tag in SIZES.finditer(content):
        for name, value in re.findall(rb"\b(count|stride|offset)\s*=\s*[\"']([^\"']*)[\"']", tag[0]):
            if not value.isdigit() or int(value) > len(content):
                line = content.count(b"\n", 0, tag.start()) + 1
                size = "more than the file can hold" if value.isdigit() else "no size"
                raise Unreadable(f'{name.decode()}="{value.decode(errors="replace")}" in line {line}, {size}')


def unit_of(content: bytes) -> float:
    """Return the length of the unit of a document [m]."""
    unit = re.search(rb"<(?:\w+:)?unit\b[^>]*\bmeter\s*=\s*[\"']([^\"']+)[\"']", content)
    return float(unit[1]) if unit else 1.0


def geometry_alone(content: bytes) -> bytes:
    """Return the document without looks, lines, cameras, lights and whatever no scene shows; what is left is to be read whole.

    Other inputs of triangles than their points become points, too, which keeps the places of the indices.

    Raises:
        Unreadable: what is shown is bent by a skeleton.
    """
    root = ElementTree.fromstring(content)
    for element in list(root):
        if _tag(element) not in KEPT:
            root.remove(element)
    for above, element in list(_below(root)):
        if _tag(element) in LOOKS:
            above.remove(element)
        elif _tag(element) == "instance_controller":
            raise Unreadable("geometry that is bent by a skeleton (<instance_controller>)")
    shown = {element.get("url", "") for _, element in _below(root) if _tag(element) == "instance_geometry"}
    for above, element in list(_below(root)):
        if _tag(element) == "geometry" and f"#{element.get('id')}" not in shown:
            above.remove(element)
        elif _tag(element) == "mesh":
            _keep_points(element)
    return ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)


def with_looks_that_can_be_read(content: bytes) -> tuple[bytes, list[str]]:
    """Return the document without references to materials that are missing or broken, and their names."""
    import collada

    root = ElementTree.fromstring(content)
    looks = ElementTree.Element(root.tag, root.attrib)
    looks.extend(child for child in root if _tag(child) in ("asset", "library_images", "library_effects", "library_materials"))
    with io.BytesIO(ElementTree.tostring(looks)) as file:
        readable = {f"#{material.id}" for material in collada.Collada(file, ignore=[collada.common.DaeError]).materials}
    broken = dict.fromkeys(_without_samplers(looks))
    for above, element in list(_below(root)):
        if _tag(element) == "instance_material" and element.get("target", "") not in readable:
            broken[element.get("target", "").removeprefix("#") or element.get("symbol", "")] = None
            above.remove(element)
    return ElementTree.tostring(root, encoding="utf-8", xml_declaration=True), list(broken)


def _without_samplers(looks: ElementTree.Element) -> Iterator[str]:
    """Generate the materials with a texture that refers to nothing: they are read, without it."""
    images = {image.get("id") for image in looks.iterfind("{*}library_images/{*}image")}
    effects = set()
    for effect in looks.iterfind("{*}library_effects/{*}effect"):
        known = images | {element.get("sid") for element in effect.iter() if _tag(element) == "newparam"}
        if any(element.get("texture") not in known for element in effect.iter() if _tag(element) == "texture"):
            effects.add(f"#{effect.get('id')}")
    for material in looks.iterfind("{*}library_materials/{*}material"):
        if any(element.get("url") in effects for element in material.iter() if _tag(element) == "instance_effect"):
            yield material.get("id", "")


def _keep_points(mesh: ElementTree.Element) -> None:
    """Keep the points of a mesh and the indices of its triangles."""
    sources = set()
    for vertices in mesh.findall("{*}vertices"):
        for given in vertices.findall("{*}input"):
            if given.get("semantic") == "POSITION":
                sources.add(given.get("source"))
            else:
                vertices.remove(given)
    for primitive in list(mesh):
        if _tag(primitive) == "source" and f"#{primitive.get('id')}" not in sources:
            mesh.remove(primitive)
        if _tag(primitive) not in PRIMITIVES:
            continue
        inputs = primitive.findall("{*}input")
        points = [given for given in inputs if given.get("semantic") == "VERTEX"]
        for given in inputs:
            if points and given.get("semantic") != "VERTEX":
                given.set("semantic", "VERTEX")
                given.set("source", points[0].get("source", ""))
        for given in points[:1]:
            primitive.remove(given)
            primitive.insert(0, given)


def _below(element: ElementTree.Element) -> Iterator[tuple[ElementTree.Element, ElementTree.Element]]:
    """Return all elements inside of one, each after the one that it stands in."""
    return ((above, child) for above in element.iter() for child in list(above))


def _tag(element: Any) -> str:
    """Return the name of an element without its namespace; of comments, nothing."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def _refuse(*_: object) -> None:
    raise Unreadable("document types and entities are not read")
