"""The entry point of a kernel: machine code that Python calls as a builtin function.

It checks the arguments, releases the interpreter lock, and calls what numba compiled, with the arrays where they are.
Written by numba's own means, so that arguments are passed as numba passes them.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
from llvmlite import binding, ir
from numba.core import cgutils
from numba.core import types as n
from numba.core.codegen import CPUCodeLibrary
from numba.np.arrayobj import populate_array

from antecede.text import machine_code

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

insert_function: Any = cgutils.get_or_insert_function
fill_array: Any = populate_array
INT, LONG = ir.IntType(32), ir.IntType(64)
POINTER = ir.IntType(8).as_pointer()
CONTIGUOUS, ALIGNED, WRITEABLE = 0x1, 0x100, 0x400
"""Flags of arrays of numpy."""
ARGUMENTS = (n.int64, n.uint64, n.float32, n.float64, n.boolean)
RESULTS = (*ARGUMENTS, n.void)
DESTRUCTOR = "NRT_MemInfo_call_dtor"
"""numba calls it to free an array; a kernel that allocates none never does."""
RESOLVED = {*machine_code.LIBRARY, DESTRUCTOR}


def is_supported(signature: Any) -> bool:
    """Whether an entry point can be written for a signature of numba."""
    numbers = all(each in ARGUMENTS or isinstance(each, n.Array) for each in signature.args)
    return numbers and signature.return_type in RESULTS


class EntryPoint:
    """The entry point of one kernel, as a function of LLVM."""

    def __init__(self, compiled: Any, title: str) -> None:
        """`compiled` is numba's result of the compilation; `title` is what messages call the kernel."""
        self.compiled, self.context, self.title = compiled, compiled.target_context, title
        self.module = self.context.create_module(title)
        kind = ir.FunctionType(POINTER, (POINTER, POINTER.as_pointer(), LONG))
        self.function = ir.Function(self.module, kind, machine_code.ENTRY)
        self.builder = ir.IRBuilder(self.function.append_basic_block("entry"))
        self.array_type, self.given, self.number = self.function.args
        self.array_check = write_array_check(self.module)
        self.write()
        destructor = ir.Function(self.module, ir.FunctionType(ir.VoidType(), (POINTER,)), DESTRUCTOR)
        ir.IRBuilder(destructor.append_basic_block("entry")).ret_void()

    def write(self) -> None:
        signature, builder = self.compiled.signature, self.builder
        wanted = len(signature.args)
        self.require(
            builder.icmp_signed("==", self.number, LONG(wanted)), f"{self.title} takes {wanted} arguments, in order"
        )
        arguments = [self.unpack(at, each) for at, each in enumerate(signature.args)]
        descriptor, convention = self.compiled.fndesc, self.context.call_conv
        kind = convention.get_function_type(descriptor.restype, descriptor.argtypes)
        callee = ir.Function(self.module, kind, descriptor.llvm_func_name)
        state = self.call("PyEval_SaveThread", POINTER)
        status, result = convention.call_function(builder, callee, descriptor.restype, descriptor.argtypes, arguments)
        self.call("PyEval_RestoreThread", ir.VoidType(), state)
        self.require(builder.not_(status.is_error), f"{self.title} failed", "SystemError")
        builder.ret(self.pack(signature.return_type, result))

    def call(self, name: str, result: Any, *arguments: Any) -> Any:
        """Call a function of the interpreter."""
        kind = ir.FunctionType(result, [each.type for each in arguments])
        return self.builder.call(insert_function(self.module, kind, name), arguments)

    def object(self, name: str) -> Any:
        """An object of the interpreter."""
        found = self.module.globals.get(f"antecede.{name}")
        place = ir.GlobalVariable(self.module, ir.IntType(8), f"antecede.{name}") if found is None else found
        return self.builder.bitcast(place, POINTER)

    def require(self, condition: Any, message: str, error: str = "TypeError") -> None:
        """Raise an error unless a condition holds."""
        with self.builder.if_then(self.builder.not_(condition), likely=False):
            text = self.context.insert_const_string(self.module, message)
            self.call("PyErr_SetString", ir.VoidType(), self.object(error), text)
            self.builder.ret(ir.Constant(POINTER, None))

    def require_no_error(self, is_suspect: Any) -> None:
        """Return the error of a conversion, which is possible only where its result is suspect."""
        builder, nothing = self.builder, ir.Constant(POINTER, None)
        with builder.if_then(is_suspect, likely=False):
            failed = builder.icmp_unsigned("!=", self.call("PyErr_Occurred", POINTER), nothing)
            with builder.if_then(failed, likely=False):
                builder.ret(nothing)

    def unpack(self, at: int, kind: Any) -> Any:
        """An argument as numba expects it."""
        given = self.builder.load(self.builder.gep(self.given, [LONG(at)]))
        return self.unpack_array(at, kind, given) if isinstance(kind, n.Array) else self.unpack_number(kind, given)

    def unpack_array(self, at: int, kind: Any, given: Any) -> Any:
        builder = self.builder
        layout = "an array" if not kind.mutable else "a writable array"
        message = (
            f"{self.title}: argument {at + 1} must be {layout} of {kind.dtype}, contiguous, {kind.ndim}-dimensional"
        )
        flags = CONTIGUOUS | ALIGNED | (WRITEABLE if kind.mutable else 0)
        numbers = numbers_of(kind.dtype)
        expected = [INT(each) for each in (flags, kind.ndim, numbers[0], numbers[-1])]
        self.require(builder.call(self.array_check, (given, self.array_type, *expected)), message)
        size = self.context.get_abi_sizeof(self.context.get_data_type(kind.dtype))
        places = field(builder, given, machine_code.SHAPE, LONG.as_pointer())
        shape = [builder.load(builder.gep(places, [LONG(axis)])) for axis in range(kind.ndim)]
        strides = [LONG(size)]
        for extent in reversed(shape[1:]):
            strides.insert(0, builder.mul(strides[0], extent))
        array = self.context.make_array(kind)(self.context, builder)
        data = field(builder, given, machine_code.DATA, array.data.type)
        fill_array(array, data=data, shape=shape, strides=strides, itemsize=size, meminfo=None)
        return array._getvalue()

    def unpack_number(self, kind: Any, given: Any) -> Any:
        builder = self.builder
        if kind == n.int64:
            value = self.call("PyLong_AsLongLong", LONG, given)
            self.require_no_error(builder.icmp_signed("==", value, LONG(-1)))
            return value
        if kind == n.uint64:
            number = self.call("PyNumber_Index", POINTER, given)
            self.require_no_error(builder.icmp_unsigned("==", number, ir.Constant(POINTER, None)))
            value = self.call("PyLong_AsUnsignedLongLong", LONG, number)
            self.call("Py_DecRef", ir.VoidType(), number)
            self.require_no_error(builder.icmp_signed("==", value, LONG(-1)))
            return value
        if kind == n.boolean:
            truth = self.call("PyObject_IsTrue", INT, given)
            self.require_no_error(builder.icmp_signed("==", truth, INT(-1)))
            return builder.icmp_signed("!=", truth, INT(0))
        double = self.call("PyFloat_AsDouble", ir.DoubleType(), given)
        self.require_no_error(builder.fcmp_ordered("==", double, ir.DoubleType()(-1.0)))
        return double if kind == n.float64 else builder.fptrunc(double, ir.FloatType())

    def pack(self, kind: Any, value: Any) -> Any:
        """The result as an object."""
        if kind == n.void:
            nothing = self.object("None")
            self.call("Py_IncRef", ir.VoidType(), nothing)
            return nothing
        if kind == n.boolean:
            return self.call("PyBool_FromLong", POINTER, self.builder.zext(value, LONG))
        if kind == n.float32:
            value = self.builder.fpext(value, ir.DoubleType())
        function = {n.int64: "PyLong_FromLongLong", n.uint64: "PyLong_FromUnsignedLongLong"}
        return self.call(function.get(kind, "PyFloat_FromDouble"), POINTER, value)


def write_array_check(module: Any) -> Any:
    """A function that says whether an object is an array with certain flags, dimensions, and one of two item types."""
    kind = ir.FunctionType(ir.IntType(1), (POINTER, POINTER, INT, INT, INT, INT))
    function = ir.Function(module, kind, "check_array")
    function.linkage = "internal"
    given, array_type, flags, dimensions, number, other = function.args
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    check = insert_function(module, ir.FunctionType(INT, (POINTER, POINTER)), "PyObject_IsInstance")
    with builder.if_then(builder.icmp_signed("!=", builder.call(check, (given, array_type)), INT(1)), likely=False):
        builder.ret(ir.IntType(1)(0))
    dtype = field(builder, given, machine_code.TYPE, POINTER)
    item = field(builder, dtype, machine_code.NUMBER, INT)
    foreign = ir.IntType(8)(ord(">" if sys.byteorder == "little" else "<"))
    holds = builder.or_(builder.icmp_signed("==", item, number), builder.icmp_signed("==", item, other))
    for each in (
        builder.icmp_signed("!=", field(builder, dtype, machine_code.ORDER, ir.IntType(8)), foreign),
        builder.icmp_signed("==", field(builder, given, machine_code.DIMENSIONS, INT), dimensions),
        builder.icmp_signed("==", builder.and_(field(builder, given, machine_code.FLAGS, INT), flags), flags),
    ):
        holds = builder.and_(holds, each)
    builder.ret(holds)
    return function


def field(builder: Any, given: Any, offset: int, kind: Any) -> Any:
    """A field of an object."""
    return builder.load(builder.bitcast(builder.gep(given, [LONG(offset)]), kind.as_pointer()))


def numbers_of(kind: Any) -> list[int]:
    """The numbers that numpy gives to a type; C has two names for some."""
    dtype = np.dtype(str(kind).replace("boolean", "bool"))
    return sorted({np.dtype(code).num for code in "?bBhHiIlLqQfd" if np.dtype(code) == dtype})


def write_entry_point(compiled: Any, title: str, emit: Callable[[Any], bytes]) -> list[bytes]:
    """The machine code of a kernel and of its entry point; nothing where it needs more than machine code can provide.

    The first is what numba made, and the second is small.
    """
    module = binding.parse_assembly(compiled.library.get_llvm_str())
    if not all(each in RESOLVED for each in external_names(module)):
        return []
    entry = binding.parse_assembly(str(EntryPoint(compiled, title).module))
    return [compiled.library._get_compiled_object(), emit(entry)]


def write_bitcode(compile_function: Callable[[], Any], title: str) -> bytes | None:
    """The bitcode of a kernel and of its entry point, before numba optimizes it for this processor.

    `compile_function` has numba compile the kernel. None where it needs more than machine code can provide.
    """
    with captured_modules() as modules:
        compiled = compile_function()
    module = binding.parse_bitcode(modules[compiled.library.name])
    if not all(each in RESOLVED for each in external_names(module)):
        return None
    entry = binding.parse_assembly(str(EntryPoint(compiled, title).module))
    compiled.library._optimize_functions(entry)
    module.link_in(entry)
    for function in module.functions:
        if not function.is_declaration and function.name not in (machine_code.ENTRY, DESTRUCTOR):
            function.linkage = "internal"
    module.name = title
    module.verify()
    return bytes(module.as_bitcode())


@contextmanager
def captured_modules() -> Iterator[dict[str, bytes]]:
    """The modules that numba compiles meanwhile, by the names of their libraries, before each is optimized."""
    found: dict[str, bytes] = {}
    kind: Any = CPUCodeLibrary
    optimize = kind._optimize_final_module

    def capture(library: Any) -> None:
        found[library.name] = library._final_module.as_bitcode()
        optimize(library)

    kind._optimize_final_module = capture
    try:
        yield found
    finally:
        kind._optimize_final_module = optimize


def external_names(module: Any) -> Iterator[str]:
    """The names that a module refers to, but does not define."""
    for each in (*module.functions, *module.global_variables):
        if each.is_declaration and not each.name.startswith("llvm."):
            yield each.name
