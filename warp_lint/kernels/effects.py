"""What a kernel does to its array arguments, as the host side needs to know it.

Plain data: no syntax trees, so that it can be cached and compared. A *path* names an array as the
kernel sees it: `("x",)` for the parameter `x`, `("state", "q")` for a struct member.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field

from warp_lint.findings import Location

Path = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Affine:
    """Index in normal form: sum of coefficient * symbol, plus a constant.

    Symbols: `tid0`, `tid1`, … (thread index per launch dimension), `arg:NAME` (integer scalar
    parameter), `loop:K` (loop variable number K of the kernel). No symbols: a constant.
    """

    terms: tuple[tuple[str, int], ...] = ()
    constant: int = 0


# One entry per array dimension. None: not affine (indirect, data dependent, unknown).
# A shorter tuple than the array has dimensions addresses whole rows.
Index = tuple[Affine | None, ...]


# Which part of a composite element: an interval per level (`m[i][0, 1]`: two). Empty: all of it.
Component = tuple[tuple[int, int], ...]


class Access(enum.Enum):
    """Kind of an access to an array element."""

    READ = "read"
    STORE = "store"
    ACCUMULATE = "accumulate"  # `+=`, `-=`, atomic_add, atomic_sub


@dataclass(frozen=True, slots=True)
class Touch:
    """One access to an array in a kernel, in program order.

    `guarded`: under a condition on data (not only on the thread index and scalars), so it may not happen.
    `differentiable`: the value read or written can carry a gradient (floating point, and for a write:
    depends on some floating-point input).
    `from_self`: the stored value depends on the element's own old value (in-place update).
    `partial`: only a component of a composite element (`a[i].x`), the rest of it stays; `component` says which, as
    far as that is known.
    """

    path: Path
    access: Access
    index: Index
    location: Location
    guarded: bool = False
    differentiable: bool = True
    from_self: bool = False
    partial: bool = False
    component: Component = ()


@dataclass(frozen=True, slots=True)
class Need:
    """An adjoint of this kernel reads the primal value of `path` from memory at backward time.

    It matters when one of `partners` is an array that carries a gradient at this launch (the
    other factor of a product, the argument of a nonlinear function, what a condition guards) and
    the result reaches a useful output; `outputs` are the paths written with that result. The path
    itself is among its partners for a nonlinear function of it.
    `kind` is "product", "nonlinear", "condition", "index", "bound", "result" or "extremum" (an atomic minimum or
    maximum compares its value with the element, which further ones may replace).
    """

    path: Path
    partners: frozenset[Path]
    outputs: frozenset[Path]
    index: Index
    location: Location
    kind: str
    expression: str = ""  # source text of the operation, for messages
    component: Component = ()  # the part of the element that is read


@dataclass(frozen=True, slots=True)
class ScalarNeed:
    """An adjoint reads a scalar parameter or scalar struct member (matters if it changes)."""

    path: Path
    partners: frozenset[Path]
    outputs: frozenset[Path]
    location: Location


@dataclass(frozen=True, slots=True)
class Parameter:
    """A kernel parameter. `kind`: "array", "struct", "scalar", "handle" (mesh, grid, …), "unknown".

    `dtype` is the canonical element type (`float32`, `vec3f`, `int32`, …; "" if unknown);
    `members` lists a struct's members the same way.
    """

    name: str
    kind: str
    dtype: str = ""
    ndim: int = 0
    members: tuple[Parameter, ...] = ()

    @property
    def differentiable(self) -> bool:
        """Can it carry a gradient? Floating-point arrays can; unknown element types might."""
        return self.kind == "array" and not self.dtype.startswith(("int", "uint", "bool"))


@dataclass(frozen=True, slots=True)
class Effects:
    """Summary of one kernel.

    `flows[out]` are the array paths whose *derivative* reaches what is written to `out`;
    `values[out]` the array paths whose value does, differentiably or not (superset).
    `backward` is False if the kernel has `enable_backward=False` (by kernel, module or config), and
    `backward_disabled_at` says where. `complete` is False if something was not understood; then the
    lists are what is known and `unknown` says what is not.
    `own_defects`: paths (array parameters) whose gradient is wrong through this kernel by itself
    (family 1 to 5 findings exist), so that tape rules do not report a consequence a second time.
    """

    name: str
    location: Location
    parameters: tuple[Parameter, ...]
    touches: tuple[Touch, ...] = ()
    needs: tuple[Need, ...] = ()
    scalar_needs: tuple[ScalarNeed, ...] = ()
    flows: dict[Path, frozenset[Path]] = field(default_factory=dict)
    values: dict[Path, frozenset[Path]] = field(default_factory=dict)
    backward: bool = True
    backward_disabled_at: Location | None = None
    complete: bool = True
    unknown: tuple[str, ...] = ()
    own_defects: frozenset[Path] = frozenset()
    extrema: frozenset[Path] = frozenset()  # arrays written by nothing but atomic minima and maxima
    restored: frozenset[Path] = frozenset()  # arrays with an element stored over a value with derivative of this kernel
    from_end: frozenset[Path] = frozenset()  # arrays with an index that counts from the end, like `a[-1]`

    def first_access(self, path: Path) -> Access | None:
        """Kind of the first access to an array in program order, or None if it is untouched."""
        for touch in self.touches:
            if touch.path == path:
                return touch.access
        return None
