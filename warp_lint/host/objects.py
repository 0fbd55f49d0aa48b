"""Names, attributes, classes and instances."""

from __future__ import annotations

from typing import Any

from warp_lint.host import (
    arrays,
    calls,
    container_methods,
    containers,
    definitions,
    externals,
    imports,
    natives,
    outside,
)
from warp_lint.host.machine import Frame, Machine, RaisedError
from warp_lint.host.values import (
    MISSING,
    ArrayValue,
    BoundMethod,
    ClassValue,
    DataType,
    FunctionValue,
    HostArray,
    Instance,
    KernelValue,
    LazyList,
    ModuleValue,
    Native,
    NativeMethod,
    PartialValue,
    Pointer,
    PropertyValue,
    SetValue,
    SuperValue,
    TapeValue,
    Unknown,
    brief,
)
from warp_lint.syntax.project import External
from warp_lint.trace import model

# Names


def lookup_name(m: Machine, frame: Frame, name: str) -> Any:
    """A name that the frame itself doesn't hold: enclosing functions, module, builtins."""
    outer = frame.lexical
    while outer is not None:
        value = outer.vars.get(name, MISSING)
        if value is not MISSING:
            return value
        outer = outer.lexical
    namespace = frame.module.namespace
    value = namespace.get(name, MISSING)
    if value is not MISSING:
        return value
    value = externals.builtin(name)
    if value is not MISSING:
        return value
    found = imports.late_name(m, frame.module, name)
    if found is not MISSING:
        return found
    value = Unknown(name)
    frame.vars[name] = value
    return value


def store_name(m: Machine, frame: Frame, name: str, value: Any) -> None:
    declared = frame.declared.get(name) if frame.declared else None
    if declared is None:
        frame.vars[name] = value
    elif declared == "global":
        m.put(frame.module.namespace, name, value)
    else:
        outer = frame.lexical
        while outer is not None and name not in outer.vars:
            outer = outer.lexical
        m.put((outer or frame).vars, name, value)


# Attributes


def get_attribute(m: Machine, value: Any, name: str) -> Any:
    kind = type(value)
    if kind is Instance:
        return instance_attribute(m, value, name)
    if kind is ArrayValue:
        return arrays.attribute(m, value, name)
    if kind is External:
        return externals.attribute(m, value, name)
    if kind is ModuleValue:
        return module_attribute(m, value, name)
    if isinstance(value, Unknown):
        return unknown_attribute(m, value, name)
    if kind is ClassValue:
        return class_attribute(m, value, name)
    if kind is Native:
        return natives.attribute(m, value, name)
    if kind is TapeValue:
        return natives.tape_attribute(m, value, name)
    if kind is SuperValue:
        return super_attribute(m, value, name)
    if kind is KernelValue:
        found = value.attributes.get(name)
        if found is None:
            constant: Any = value.name if name in ("key", "__name__") else value.function if name == "func" else None
            found = constant if constant is not None else Unknown(f"{value.name}.{name}")
            value.attributes[name] = found
        return found
    if kind is FunctionValue:
        if name in ("__name__", "__qualname__", "key"):
            return value.name
        if name == "__doc__":
            return Unknown("doc")
        return value.attributes.get(name, NativeMethod(value, name)) if value.attributes else NativeMethod(value, name)
    if kind is BoundMethod:
        if name == "__self__":
            return value.receiver
        if name == "__func__":
            return value.function
        return get_attribute(m, value.function, name)
    if kind is PartialValue and name in ("func", "args", "keywords"):
        return {"func": value.function, "args": tuple(value.args), "keywords": value.kwargs}[name]
    if kind is DataType:
        return Unknown(f"{value.name}.{name}")
    if kind in (int, float, bool) and name in ("real", "imag"):
        return value if name == "real" else 0
    if kind is range and name in ("start", "stop", "step"):
        return getattr(value, name)
    if kind is slice and name in ("start", "stop", "step"):
        return getattr(value, name)
    if value is None:
        return Unknown(f"None.{name}")
    return NativeMethod(value, name)


def unknown_attribute(m: Machine, value: Unknown, name: str) -> Any:
    if isinstance(value, HostArray):
        return externals.host_attribute(m, value, name)
    array = value.memo.get(("array",))
    if array is not None and ("attr", name) not in value.memo:
        return arrays.attribute(m, array, name)
    found = value.memo.get(("attr", name), MISSING)
    if found is not MISSING:
        return found
    return value.attribute(name)


def instance_attribute(m: Machine, instance: Instance, name: str) -> Any:
    value = instance.attributes.get(name, MISSING)
    cls = instance.cls
    if value is not MISSING:
        if cls is not None and isinstance(found := cls.namespace.get(name), PropertyValue):
            return calls.call_value(m, None, found.getter, [instance], {})
        return value
    if cls is not None:
        found = cls.lookup(name)
        if found is not MISSING:
            return bind(m, found, instance, cls)
    if name == "__dict__":
        return instance.attributes
    if name == "__class__":
        return cls if cls is not None else Unknown("class")
    if instance.native is not None and (
        not isinstance(instance.native, (dict, list)) or container_methods.has_method(instance.native, name)
    ):
        return get_attribute(m, instance.native, name)
    if cls is not None:
        hook = cls.lookup("__getattr__")
        if isinstance(hook, FunctionValue) and not name.startswith("__"):
            made = _hook(m, hook, [instance, name])
            if made is not MISSING:
                return made
        written = outside.written_from_outside(m, instance, name)
        if written is not MISSING:
            return written
    unknown = instance.unknowns.get(name)
    if unknown is None:
        unknown = instance.unknowns[name] = Unknown(f"{instance.name or 'self'}.{name}")
    return unknown


def _hook(m: Machine, hook: FunctionValue, args: list[Any]) -> Any:
    """`__getattr__`; MISSING if it raises."""
    m.try_depth += 1
    frame = m.frame
    try:
        return calls.call_function(m, hook, args, {})
    except RaisedError:
        return MISSING
    finally:
        m.frame = frame
        m.try_depth -= 1


def bind(m: Machine, found: Any, receiver: Any, cls: ClassValue) -> Any:
    """What a class attribute is when read through an instance."""
    kind = type(found)
    if kind is FunctionValue:
        if found.kind == "static":
            return found
        if found.kind == "class":
            return BoundMethod(found, cls)
        return BoundMethod(found, receiver)
    if kind is PropertyValue:
        return calls.call_value(m, None, found.getter, [receiver], {})
    if kind is Native and found.kind == "cached_property":
        value = calls.call_value(m, None, found.state["function"], [receiver], {})
        if isinstance(receiver, Instance):
            m.put(receiver.attributes, found.name, value)
        return value
    return found


def class_attribute(m: Machine, cls: ClassValue, name: str) -> Any:
    found = cls.lookup(name)
    if found is not MISSING:
        if isinstance(found, FunctionValue) and found.kind == "class":
            return BoundMethod(found, cls)
        return found
    if name in ("__name__", "__qualname__"):
        return cls.name
    if name == "__mro__":
        return tuple(cls.mro)
    if name == "__members__" and cls.kind == "enum":
        return {k: v for k, v in cls.namespace.items() if isinstance(v, Instance) and v.cls is cls}
    if name == "apply" and definitions.is_torch_function(cls):
        return NativeMethod(cls, "apply")
    if cls.kind == "struct":
        return Unknown(f"{cls.name}.{name}")
    for base in cls.mro:
        if isinstance(base, External) and base.name != "builtins.object":
            return externals.attribute(m, base, name)
    value = cls.options.get("unknown:" + name)
    if value is None:
        value = cls.options["unknown:" + name] = Unknown(f"{cls.name}.{name}")
    return value


def module_attribute(m: Machine, module: ModuleValue, name: str) -> Any:
    value = module.namespace.get(name, MISSING)
    if value is not MISSING:
        return value
    if name == "__name__":
        return "__main__" if module.is_main else module.module.name
    if name == "__dict__":
        return module.namespace
    found = imports.late_name(m, module, name)
    if found is not MISSING:
        return found
    child = imports.submodule(m, module, name)
    if child is not MISSING:
        return child
    hook = module.namespace.get("__getattr__")
    if isinstance(hook, FunctionValue):
        value = _hook(m, hook, [name])
        if value is not MISSING and not isinstance(value, Unknown):
            module.namespace[name] = value
            return value
    value = Unknown(f"{module.module.name}.{name}")
    module.namespace[name] = value
    return value


def make_super(m: Machine, frame: Frame, args: list[Any]) -> Any:
    if len(args) == 2 and isinstance(args[0], ClassValue):
        return SuperValue(args[0], args[1])
    outer: Frame | None = frame
    while outer is not None and (outer.cls is None or outer.receiver is None):
        outer = outer.lexical
    if outer is None or outer.cls is None:
        return Unknown("super()")
    return SuperValue(outer.cls, outer.receiver)


def super_attribute(m: Machine, value: SuperValue, name: str) -> Any:
    receiver = value.receiver
    cls = receiver.cls if isinstance(receiver, Instance) else receiver if isinstance(receiver, ClassValue) else None
    order = cls.mro if cls is not None and value.after in cls.mro else value.after.mro
    rest = order[order.index(value.after) + 1 :]
    external = None
    for base in rest:
        if isinstance(base, ClassValue):
            found = base.namespace.get(name, MISSING)
            if found is not MISSING:
                return bind(m, found, receiver, cls or base)
        elif isinstance(base, External) and base.name != "builtins.object" and external is None:
            external = base
    if isinstance(receiver, Instance) and receiver.native is not None:
        return get_attribute(m, receiver.native, name)
    found = External(f"{external.name}.{name}") if external is not None else External(f"builtins.object.{name}")
    return found if name in ("__new__", "__init_subclass__") else BoundMethod(found, receiver)


def set_attribute(m: Machine, value: Any, name: str, new: Any) -> None:
    kind = type(value)
    if kind is Instance:
        cls = value.cls
        if cls is not None:
            found = cls.lookup(name)
            if isinstance(found, PropertyValue) and found.setter is not None:
                calls.call_value(m, None, found.setter, [value, new], {})
                return
            if cls.kind == "struct":
                _struct_member(m, value, name, new)
            hook = cls.lookup("__setattr__")
            if isinstance(hook, FunctionValue) and not m.active.get(hook.node):
                calls.call_function(m, hook, [value, name, new], {})
                return
        store(m, value, name, new)
    elif kind is ArrayValue:
        arrays.set_attribute(m, value, name, new)
    elif isinstance(value, Unknown):
        array = value.memo.get(("array",))
        if array is not None and name in ("requires_grad", "grad"):
            arrays.set_attribute(m, array, name, new)
        elif (name == "requires_grad" and not isinstance(value, HostArray)) or (
            name == "grad" and isinstance(new, ArrayValue)
        ):
            arrays.set_attribute(m, arrays.as_array(m, value), name, new)
        else:
            m.put(value.memo, ("attr", name), new)
    elif kind is ModuleValue or kind is ClassValue:
        m.put(value.namespace, name, new)
    elif kind is External:
        m.put(m.config, f"{value.name}.{name}", new)
    elif kind in (Native, TapeValue):
        natives.set_attribute(m, value, name, new)
    elif kind is KernelValue:
        m.put(value.attributes, name, new)
    elif kind is FunctionValue:
        if value.attributes is None:
            value.attributes = {}
        m.put(value.attributes, name, new)


def store(m: Machine, instance: Instance, name: str, new: Any) -> None:
    """`object.__setattr__`."""
    if type(new) is ArrayValue and not new.name:
        arrays.give_name(m, new, name)
    m.put(instance.attributes, name, new)


def delete_attribute(m: Machine, value: Any, name: str) -> None:
    if isinstance(value, Instance):
        m.remove(value.attributes, name)
    elif isinstance(value, (ModuleValue, ClassValue)):
        m.remove(value.namespace, name)


def _struct_member(m: Machine, struct: Instance, name: str, new: Any) -> None:
    old = struct.attributes.get(name, MISSING)
    if old is MISSING or old is new:
        return
    if isinstance(old, (int, float, bool)) and type(old) is type(new) and old == new:
        return
    array = isinstance(old, ArrayValue) or isinstance(new, ArrayValue)
    m.emit(
        model.Mutate,
        owner=struct.id,
        member=(name,),
        kind="rebind" if array else "scalar",
        name=f"{struct.name}.{name}" if struct.name else name,
    )


# Python rebinding


def rebind(m: Machine, owner: Any, key: Any, target: str, source: str, given: Any) -> None:
    """`target = source`, both slots: note that two slots now hold one object."""
    if isinstance(owner, Instance) and isinstance(key, str):
        old = owner.attributes.get(key)
        identity = owner.id
        if owner.cls is not None and owner.cls.kind == "struct":
            return
    elif isinstance(owner, (list, dict, LazyList, Instance)):
        old = containers.peek_item(owner, key)
        identity = container_identity(m, owner)
    else:
        return
    if old is given:
        return
    if isinstance(given, ArrayValue):
        previous = old if isinstance(old, ArrayValue) else None
        m.emit(model.Rebind, array=given, target=target, source=source, previous=previous, owner=identity)
        return
    count = 0
    for name, member in given.attributes.items():
        if isinstance(member, ArrayValue) and count < 16:
            count += 1
            before = old.attributes.get(name) if isinstance(old, Instance) else None
            m.emit(
                model.Rebind,
                array=member,
                target=f"{target}.{name}",
                source=f"{source}.{name}",
                previous=before if isinstance(before, ArrayValue) else None,
                owner=identity,
            )


def container_identity(m: Machine, owner: Any) -> int:
    if isinstance(owner, (Instance, Native)):
        return owner.id
    found = m.container_ids.get(id(owner))
    if found is None:
        m.kept_containers.append(owner)
        found = m.container_ids[id(owner)] = m.fresh()
    return found


# Classes and exceptions

_PARENTS = {
    "ModuleNotFoundError": "ImportError",
    "NotImplementedError": "RuntimeError",
    "RecursionError": "RuntimeError",
    "KeyError": "LookupError",
    "IndexError": "LookupError",
    "FileNotFoundError": "OSError",
    "ZeroDivisionError": "ArithmeticError",
    "UnicodeDecodeError": "ValueError",
}


def exception(m: Machine, value: Any) -> Any:
    if isinstance(value, ClassValue):
        return m.instance(value)
    if isinstance(value, External):
        return m.native("exception", value.name.rpartition(".")[2])
    return value


def catches(m: Machine, kind: Any, value: Any) -> bool:
    if isinstance(kind, tuple):
        return any(catches(m, k, value) for k in kind)
    name = kind.name.rpartition(".")[2] if isinstance(kind, External) else ""
    if name in ("Exception", "BaseException"):
        return True
    if value is None or isinstance(value, Unknown) or isinstance(kind, Unknown):
        return True
    if isinstance(value, Instance) and value.cls is not None:
        if isinstance(kind, ClassValue):
            return kind in value.cls.mro
        return any(base.name.rpartition(".")[2] == name for base in value.cls.mro if isinstance(base, External))
    if isinstance(value, Native) and value.kind == "exception":
        current: str | None = value.name
        while current is not None:
            if current == name:
                return True
            current = _PARENTS.get(current)
    return False


_TYPES: dict[str, tuple[type, ...]] = {
    "int": (int,),
    "float": (float,),
    "str": (str,),
    "bool": (bool,),
    "bytes": (bytes,),
    "list": (list, LazyList),
    "tuple": (tuple,),
    "dict": (dict,),
    "set": (SetValue,),
    "slice": (slice,),
    "Number": (int, float),
    "Real": (int, float),
    "Integral": (int,),
    "Sequence": (list, tuple, str, LazyList),
    "Iterable": (list, tuple, str, dict, LazyList, SetValue),
    "Mapping": (dict,),
    "Callable": (FunctionValue, BoundMethod, PartialValue),
    "type": (ClassValue,),
}


def is_instance(m: Machine, value: Any, kind: Any) -> Any:
    """True, False or an unknown."""
    if isinstance(kind, tuple):
        outcomes = [is_instance(m, value, k) for k in kind]
        if any(o is True for o in outcomes):
            return True
        return next((o for o in outcomes if o is not False), False)
    if isinstance(value, Instance):
        cls = value.cls
        if isinstance(kind, ClassValue):
            if cls is None:
                return False
            return kind in cls.mro
        if isinstance(kind, External):
            if kind.name == "builtins.object":
                return True
            return cls is not None and any(b == kind for b in cls.mro)
    if isinstance(kind, External):
        name = kind.name.rpartition(".")[2]
        if kind.name in ("warp.array", "warp.types.array") or kind.name == "warp.Array":
            if isinstance(value, ArrayValue):
                return True
            return (
                False
                if not isinstance(value, Unknown) or isinstance(value, HostArray)
                else value.derived("is", name, f"{value.text} is {name}")
            )
        if kind.name == "warp.Tape":
            return True if isinstance(value, TapeValue) else _maybe(value, name)
        if kind.name == "warp.Kernel":
            return True if isinstance(value, KernelValue) else _maybe(value, name)
        if isinstance(value, HostArray) and name in ("ndarray", "Tensor"):
            return (value.kind == "torch") == (name == "Tensor")
        types = _TYPES.get(name)
        if types is not None and not isinstance(value, Unknown):
            if name in ("int",) and isinstance(value, bool):
                return True
            return isinstance(value, types)
        if types is not None and isinstance(value, HostArray) and value.kind != "scalar":
            return False
    if isinstance(value, Unknown):
        return value.derived(
            "is", kind if not isinstance(kind, list) else "list", f"isinstance({value.text}, {brief(kind)})"
        )
    if isinstance(kind, ClassValue):
        return False
    if isinstance(kind, Unknown):
        return kind.derived("has", "instance", f"isinstance(…, {kind.text})")
    return False


def _maybe(value: Any, name: str) -> Any:
    return value.derived("is", name, f"isinstance({value.text}, {name})") if isinstance(value, Unknown) else False


def is_callable(value: Any) -> bool:
    return isinstance(
        value, (FunctionValue, BoundMethod, ClassValue, PartialValue, KernelValue, External, NativeMethod)
    ) or (isinstance(value, Instance) and value.cls is not None and value.cls.lookup("__call__") is not MISSING)


_ = Pointer
