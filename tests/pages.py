"""Pages as a reader meets them: their texts, tables and answers, by Python's own parser of HTML."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"meta", "input", "br", "hr", "link"}
UNSEEN = {"script", "style", "title"}


@dataclass
class Node:
    """An element with its attributes, texts and elements in order."""

    name: str
    attributes: dict[str, str] = field(default_factory=dict)
    children: list[Node | str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """What is read of it, with single spaces."""
        return " ".join("".join(self._texts()).split())

    def all(self, name: str, **attributes: str) -> list[Node]:
        """The elements of a name within it, those with the given attributes; class_ is one of the classes."""
        found = []
        for child in self.children:
            if isinstance(child, Node):
                found += [child] if child._is(name, attributes) else []
                found += child.all(name, **attributes)
        return found

    def one(self, name: str, **attributes: str) -> Node:
        """The only such element."""
        (found,) = self.all(name, **attributes)
        return found

    def rows(self) -> list[list[str]]:
        """The texts of a table's body, row by row."""
        return [[cell.text for cell in row.all("td")] for row in self.one("tbody").all("tr")]

    def named_rows(self) -> list[tuple[str, list[str]]]:
        """The same rows, each behind the text of its first cell without its smaller second line."""
        body = self.one("tbody").all("tr")
        return [(row.all("td")[0].one("bdi").text, cells) for row, cells in zip(body, self.rows())]

    def _is(self, name: str, attributes: dict[str, str]) -> bool:
        classes = self.attributes.get("class", "").split()
        return self.name == name and all(
            value in classes if key == "class_" else self.attributes.get(key) == value
            for key, value in attributes.items()
        )

    def _texts(self) -> list[str]:
        if self.name in UNSEEN:
            return []
        inside = [[child] if isinstance(child, str) else child._texts() for child in self.children]
        ending = [] if self.name in ("b", "strong", "bdi", "span", "a", "code") else [" "]
        return [text for texts in inside for text in texts] + ending


class _Builder(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open = [Node("document")]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        node = Node(tag, {key: value or "" for key, value in attrs})
        self.open[-1].children.append(node)
        if tag not in VOID:
            self.open.append(node)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open[-1].children.append(Node(tag, {key: value or "" for key, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self.open[-1].name == tag, f"</{tag}> closes <{self.open[-1].name}>"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        self.open[-1].children.append(data)


def parse(text: str) -> Node:
    """Read a page; an element that is not closed where it should be fails the test."""
    builder = _Builder()
    builder.feed(text)
    builder.close()
    assert [node.name for node in builder.open] == ["document"]
    return builder.open[0].one("html")


def verdicts(page: Node) -> dict[str, str]:
    """The verdict of each answer on the first screen, by the metric it is about."""
    judged = [one.attributes for one in page.all("article") if "data-metric" in one.attributes]
    return {answer["data-metric"]: answer["data-verdict"] for answer in judged}
