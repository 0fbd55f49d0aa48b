"""`def` and `class` statements, decorators, and how instances are built."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from warp_lint.host import calls, container_methods, objects
from warp_lint.host.machine import Frame, Machine
from warp_lint.host.values import (
    MISSING,
    BoundMethod,
    ClassValue,
    DequeValue,
    FunctionValue,
    Instance,
    KernelValue,
    LazyList,
    Native,
    NativeMethod,
    PartialValue,
    PropertyValue,
    Unknown,
)
from warp_lint.syntax.module import Module
from warp_lint.syntax.project import External

Expression = Callable[[Frame], Any]
Statement = Callable[[Frame], "int | None"]


def _lexical(frame: Frame) -> Frame | None:
    """The frame that functions defined here see: class bodies and modules are skipped."""
    if frame.cls is not None and frame.vars is frame.cls.namespace:
        return frame.lexical
    if frame.function is None and frame.vars is frame.module.namespace:
        return None
    return frame


def function_statement(
    m: Machine,
    module: Module,
    node: ast.FunctionDef | ast.AsyncFunctionDef,
    defaults: list[Expression],
    kw_defaults: list[tuple[str, Expression]],
    decorators: list[tuple[ast.expr, Expression]],
) -> Statement:
    name = node.name

    def run(frame: Frame) -> int | None:
        function = FunctionValue(node, frame.module, _lexical(frame), name)
        function.definition = module.definitions.get(node)
        function.defaults = [d(frame) for d in defaults]
        function.kw_defaults = {key: d(frame) for key, d in kw_defaults}
        if frame.cls is not None and frame.vars is frame.cls.namespace:
            function.owner = frame.cls
        value: Any = function
        for decorator, evaluate in reversed(decorators):
            frame.node = decorator
            maker = evaluate(frame)
            if isinstance(maker, External) and maker.name == "warp.overload":
                return None  # a signature of the kernel that has the name already
            value = decorate(m, maker, value, decorator)
        objects.store_name(m, frame, name, value)
        return None

    return run


def decorate(m: Machine, decorator: Any, value: Any, node: ast.expr | None = None) -> Any:
    """What `@decorator` makes of a function or class."""
    if isinstance(decorator, NativeMethod) and isinstance(decorator.receiver, PropertyValue):
        base = decorator.receiver
        return PropertyValue(base.getter, value) if decorator.name == "setter" else PropertyValue(value, base.setter)
    if isinstance(decorator, Native) and decorator.kind == "decorator":
        return _library_decorator(m, decorator.name, value, decorator.state)
    if isinstance(decorator, External):
        return _library_decorator(m, decorator.name, value, {})
    if isinstance(decorator, (FunctionValue, BoundMethod, ClassValue, PartialValue)) or (
        isinstance(decorator, Instance) and objects.is_callable(decorator)
    ):
        result = calls.call_value(m, None, decorator, [value], {})
        return value if isinstance(result, Unknown) or result is None else result
    return value


def _library_decorator(m: Machine, name: str, value: Any, options: dict[str, Any]) -> Any:
    short = name.rpartition(".")[2]
    if isinstance(value, FunctionValue):
        if name == "warp.kernel":
            return make_kernel(value)
        if name == "warp.func" or name in ("warp.func_grad", "warp.func_replay", "warp.func_native"):
            value.kind = "func"
        elif short == "staticmethod":
            value.kind = "static"
        elif short == "classmethod":
            value.kind = "class"
        elif short in ("property", "abstractproperty"):
            return PropertyValue(value)
        elif short == "cached_property":
            return m.native("cached_property", value.name, function=value)
        elif short in ("contextmanager", "asynccontextmanager"):
            value.kind = "context"
        elif short == "integrand":
            value.kind = "func"
    elif isinstance(value, ClassValue):
        if name == "warp.struct":
            value.kind = "struct"
        elif short == "dataclass" or name in ("attr.s", "attrs.define", "attr.define", "chex.dataclass"):
            value.kind = "dataclass"
    elif isinstance(value, PropertyValue) and short == "abstractmethod":
        return value
    return value


def make_kernel(function: FunctionValue) -> KernelValue:
    return KernelValue(function.name, function.definition, function)


def class_statement(
    m: Machine,
    module: Module,
    node: ast.ClassDef,
    bases: list[Expression],
    decorators: list[tuple[ast.expr, Expression]],
    body: Statement,
) -> Statement:
    annotations = {
        s.target.id: s.annotation for s in node.body if isinstance(s, ast.AnnAssign) and isinstance(s.target, ast.Name)
    }

    def run(frame: Frame) -> int | None:
        seen = [b(frame) for b in bases]
        seen = [External(b.text or "unknown") if isinstance(b, Unknown) else b for b in seen]
        seen = [b for b in seen if isinstance(b, (ClassValue, External))]
        cls = ClassValue(node.name, module, module.definitions.get(node), seen)
        cls.annotations = annotations
        inner = Frame(frame.module, frame.user, frame)
        inner.vars = cls.namespace
        inner.lexical = _lexical(frame)
        inner.cls = cls
        inner.node = node
        m.frame = inner
        try:
            body(inner)
        finally:
            m.frame = frame
        _classify(m, cls)
        value: Any = cls
        for decorator, evaluate in reversed(decorators):
            value = decorate(m, evaluate(frame), value, decorator)
        for base in seen:
            hook = base.lookup("__init_subclass__") if isinstance(base, ClassValue) else MISSING
            if isinstance(hook, FunctionValue):
                calls.call_function(m, hook, [cls], {})
        objects.store_name(m, frame, node.name, value)
        return None

    return run


def _classify(m: Machine, cls: ClassValue) -> None:
    names = {name.rpartition(".")[2] for name in cls.external_bases()}
    if names & {"Enum", "IntEnum", "StrEnum", "Flag", "IntFlag"}:
        cls.kind = "enum"
        for key, value in list(cls.namespace.items()):
            if not key.startswith("_") and not isinstance(value, (FunctionValue, PropertyValue, ClassValue, Native)):
                member = m.instance(cls, f"{cls.name}.{key}")
                member.attributes.update(name=key, value=value)
                cls.namespace[key] = member
    elif "NamedTuple" in names:
        cls.kind = "namedtuple"
    elif any(isinstance(b, ClassValue) and b.kind in ("dataclass", "struct", "enum", "namedtuple") for b in cls.bases):
        cls.kind = next(b.kind for b in cls.bases if isinstance(b, ClassValue) and b.kind != "plain")
    elif names & {"Exception", "BaseException", "RuntimeError", "ValueError"}:
        cls.kind = "exception"


def is_torch_function(cls: ClassValue) -> bool:
    return any(name.endswith(("autograd.Function", "Function")) and "torch" in name for name in cls.external_bases())


def instantiate(m: Machine, site: Any, cls: ClassValue, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """`cls(*args, **kwargs)`."""
    if cls.kind == "enum" and args:
        for value in cls.namespace.values():
            if isinstance(value, Instance) and value.cls is cls and value.attributes.get("value", MISSING) == args[0]:
                return value
        return Unknown(cls.name)
    new = cls.lookup("__new__")
    if isinstance(new, FunctionValue) and not m.active.get(new.node):
        made = calls.call_function(m, new, [cls, *args], dict(kwargs))
        if not (isinstance(made, Instance) and made.cls is cls):
            if not isinstance(made, Unknown):
                return made
            made = m.instance(cls, site.hint if site is not None else "")
        instance: Instance = made
    else:
        instance = m.instance(cls, site.hint if site is not None else "")
    if "warp.Tape" in cls.external_bases():
        instance.native = m.new_tape(instance.name)
    made_container = _container_base(cls)
    if made_container is not None:
        instance.native = made_container
    init = cls.lookup("__init__")
    if isinstance(init, FunctionValue):
        calls.call_function(m, init, [instance, *args], kwargs)
    elif made_container is not None:
        container_methods.call_method(m, made_container, "__init__", args, kwargs)
    elif cls.kind in ("dataclass", "namedtuple"):
        _fill_fields(m, instance, cls, args, kwargs)
    elif cls.kind == "exception":
        instance.attributes["args"] = tuple(args)
    elif cls.kind == "struct":
        instance.attributes.update(kwargs)
    return instance


def _container_base(cls: ClassValue) -> Any:
    """An empty container for a class that inherits from one."""
    for name in cls.external_bases():
        short = name.rpartition(".")[2]
        if short in ("dict", "OrderedDict", "UserDict", "defaultdict", "Dict"):
            return {}
        if short in ("list", "UserList", "tuple", "List"):
            return []
        if short == "deque":
            return DequeValue()
    return None


def fields_of(cls: ClassValue) -> list[str]:
    names: dict[str, None] = {}
    for base in reversed(cls.mro):
        if isinstance(base, ClassValue):
            for name, annotation in base.annotations.items():
                text = ast.unparse(annotation)
                if "ClassVar" not in text:
                    names[name] = None
    return list(names)


def _fill_fields(m: Machine, instance: Instance, cls: ClassValue, args: list[Any], kwargs: dict[str, Any]) -> None:
    position = 0
    for name in fields_of(cls):
        default = cls.lookup(name)
        field = default if isinstance(default, Native) and default.kind == "field" else None
        if field is not None and field.state.get("init") is False:
            value = MISSING
        elif position < len(args):
            value = args[position]
            position += 1
        else:
            value = kwargs.get(name, MISSING)
        if value is MISSING:
            if field is not None:
                factory = field.state.get("default_factory")
                value = (
                    calls.call_value(m, None, factory, [], {})
                    if factory is not None
                    else field.state.get("default", MISSING)
                )
            else:
                value = default
        if value is MISSING:
            value = Unknown(name)
        instance.attributes[name] = value
    post = cls.lookup("__post_init__")
    if isinstance(post, FunctionValue):
        calls.call_function(m, post, [instance], {})


_ = LazyList
