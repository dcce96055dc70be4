"""Exact squad recruitment for the collectible card game Берсерк (Berserk)."""

__version__ = "0.1.0"
