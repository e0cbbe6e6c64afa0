"""Bits that a disk gives back wrong."""

from __future__ import annotations

from pathlib import Path


def flipped(data: bytes, at: int, mask: int = 1) -> bytes:
    """Some bytes, one of which has other bits."""
    made = bytearray(data)
    made[at] ^= mask
    return bytes(made)


def flipped_bit(data: bytes, bit: int) -> bytes:
    """Some bytes, one bit of which is another."""
    return flipped(data, bit // 8, 1 << bit % 8)


def flip(file: Path, at: int, mask: int = 1) -> None:
    """Let a byte of a file have other bits."""
    file.write_bytes(flipped(file.read_bytes(), at, mask))
