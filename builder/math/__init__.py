"""Formulas: TeX to MathML, and the check of what comes out."""

from builder.math.converter import Converter, Formula, TexFault

__all__ = ["Converter", "Formula", "TexFault"]
