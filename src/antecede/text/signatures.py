"""Signatures of kernels, written as numba writes them, but without loading numba: `t.int64(t.uint32[::1], t.float64)`.

Arrays are contiguous in C order, with one or two dimensions; `t.Array(t.uint8, 1, "C", readonly=True)` accepts arrays
that must not be written to, and those that may.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any


class Type(ABC):
    """A type in a signature. Called with the types of arguments, it is the signature of a function that returns it."""

    def __call__(self, *arguments: Type) -> Signature:
        return Signature(self, arguments)

    @abstractmethod
    def of_numba(self, types: Any) -> Any:
        """The type of numba; `types` is `numba.types`."""


@dataclass(frozen=True)
class NumberType(Type):
    """A number, a truth value, or nothing, by its name in numba. With slices, an array of it: `t.int64[:, ::1]`."""

    name: str

    def __getitem__(self, slices: slice | tuple[slice, ...]) -> ArrayType:
        each = slices if isinstance(slices, tuple) else (slices,)
        if each != (*[slice(None)] * (len(each) - 1), slice(None, None, 1)):
            raise ValueError(f"only contiguous arrays are supported, as {self.name}[::1] and {self.name}[:, ::1] are")
        return ArrayType(self, len(each))

    def of_numba(self, types: Any) -> Any:
        return getattr(types, self.name)


@dataclass(frozen=True)
class ArrayType(Type):
    """A contiguous array."""

    item: NumberType
    dimensions: int
    readonly: bool = False

    def of_numba(self, types: Any) -> Any:
        return types.Array(self.item.of_numba(types), self.dimensions, "C", readonly=self.readonly)


@dataclass(frozen=True)
class TupleType(Type):
    """Several values, as a result."""

    items: tuple[Type, ...]

    def of_numba(self, types: Any) -> Any:
        return types.Tuple(tuple(each.of_numba(types) for each in self.items))


@dataclass(frozen=True)
class Signature:
    """The types of a result and of arguments."""

    result: Type
    arguments: tuple[Type, ...]

    def of_numba(self, types: Any) -> Any:
        return self.result.of_numba(types)(*(each.of_numba(types) for each in self.arguments))


class Types:
    """The types from which signatures are composed, named as in `numba.types`."""

    void, boolean = NumberType("void"), NumberType("boolean")
    int8, int16, int32, int64 = (NumberType(f"int{bits}") for bits in (8, 16, 32, 64))
    uint8, uint16, uint32, uint64 = (NumberType(f"uint{bits}") for bits in (8, 16, 32, 64))
    float32, float64 = NumberType("float32"), NumberType("float64")

    @staticmethod
    def Array(item: NumberType, dimensions: int, layout: str, *, readonly: bool = False) -> ArrayType:  # noqa: N802
        if layout != "C":
            raise ValueError(f"only arrays in C order are supported, not {layout!r}")
        return ArrayType(item, dimensions, readonly)

    @staticmethod
    def Tuple(items: tuple[Type, ...]) -> TupleType:  # noqa: N802
        return TupleType(tuple(items))

    @staticmethod
    def UniTuple(item: Type, number: int) -> TupleType:  # noqa: N802
        return TupleType((item,) * number)


types = Types
