"""YAML as text: every scalar is its own text, and nothing refers to anything else."""

from __future__ import annotations

from typing import Any

import yaml


class _TextLoader(yaml.BaseLoader):
    """Every scalar is text; aliases are refused, because a few of them can stand for any amount of text."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("an alias is not read")
        return super().compose_node(parent, index)


def loaded_or_none(text: str) -> Any:
    """The value of the text, None where it is no YAML."""
    try:
        return yaml.load(text, Loader=_TextLoader)  # noqa: S506 - a subclass of BaseLoader: it builds text, lists, dicts
    except (yaml.YAMLError, RecursionError, ValueError, TypeError):
        return None
