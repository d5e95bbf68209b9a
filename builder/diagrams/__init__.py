"""Diagrams in Mermaid's language: drawn with `merman` in a process that can be ended, and checked."""

from builder.diagrams.diagram import Diagram, DiagramFault, draw, is_installed, remember

__all__ = ["Diagram", "DiagramFault", "draw", "is_installed", "remember"]
