"""Messages, advice and notes of findings that a run proved."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from warp_lint.confirm.verdicts import Place, Proof

_HELP = {
    "own": "write the result to another array, or keep the old value in one",
    "overwritten": "allocate one array per step, or copy what the gradient needs before it is overwritten",
    "late": "call `backward()` before writing to it",
    "scope": "move it out of the tape's scope, after `backward()`",
    "cleared": "use a fresh array instead of clearing one that the tape has used",
    "severed": "allocate it with `requires_grad=True`",
    "alias": "make views after setting `requires_grad`, and share the gradient of `ptr=` handles",
    "retained": "set `retain_grad` only on arrays that are stored once",
    "rebuilt": "use one for each launch that needs its own state, and keep them until `backward()`",
    "mutated": "pass what doesn't change between the launch and `backward()`",
    "leftover": "call `tape.zero()` after each use of the gradients",
    "reentered": "call `tape.reset()` before entering a tape again",
    "unrecorded": "use an operation that the tape records",
    "disabled": "enable backward for this kernel, or write its adjoint",
    "missing-zero": "call `tape.zero()` after the gradients are used",
    "view": "copy it before the gradient is zeroed",
    "loss-accumulates": "zero the loss before each forward",
    "spent": "use `grads=`, which copies the seed, or fill it anew",
    "stale-gradient": "read gradients between `backward()` and the zeroing",
    "round-trip": "compute it in a kernel under the tape",
    "unrecorded-forward": "launch it inside the tape's scope",
    "seedless": "hand the gradient of the later tape over before it is zeroed",
    "consumed": "allocate it with `retain_grad=True`",
    "birth": "guard the singular point before the operation, by `if`",
    "adjoint": "check the custom gradients and native snippets that it uses",
}


def message_of(proof: Proof) -> tuple[str, str, list[tuple[Place, str]]]:
    """(message, advice, notes as places and texts)."""
    array = f"`{proof.array}`" if proof.array else "an array"
    actor = f"`{proof.actor}`" if proof.actor else "this"
    reader = f"`{proof.reader}`" if proof.reader else "a launch"
    notes: list[tuple[Place, str]] = []
    if proof.read is not None and proof.kind in ("overwritten", "late", "scope"):
        notes.append((proof.read, f"{array} is read here, by {reader}"))
    if proof.needed is not None and proof.kind in ("overwritten", "late", "scope"):
        notes.append((proof.needed, f"the adjoint of {reader} needs the value it read"))
    if proof.read is not None and proof.kind == "mutated":
        notes.append((proof.read, "launched here with the old value"))
    if proof.read is not None and proof.kind == "rebuilt":
        notes.append((proof.read, f"{reader} queries it here"))
    if proof.launch is not None:
        notes.append((proof.launch, "launched here"))
    text = {
        "own": f"{actor} overwrites {array}, whose old value its own gradient needs",
        "overwritten": f"{array} is overwritten here by {actor}, but {reader} still needs its old value",
        "late": f"{array} is written here before `backward()`, but {reader} still needs its old value",
        "scope": f"{array} is overwritten on the tape after the loss, but {reader} still needs its old value",
        "cleared": f"{array} is overwritten here by {actor} off the tape, so its new gradient reaches the old value",
        "severed": f"{array} has no gradient, so nothing flows back through it",
        "alias": f"{array} is memory that other arrays share without sharing its gradient",
        "retained": f"{array} has `retain_grad` and is stored more than once, so its gradient is passed on twice",
        "mutated": f"{array} of a struct is set here, but the adjoint of {actor} needs the old value"
        if proof.read is not None
        else f"an argument of {actor} changed between this launch and `backward()`",
        "rebuilt": f"{array} is changed here by {actor}, but the adjoint of {reader} queries it again",
        "leftover": f"the gradient of {array} still holds an earlier backward's, which flows on",
        "reentered": "the tape is entered again without `reset()`, so its earlier launches run backward again",
        "unrecorded": f"{actor} is not recorded on the tape, so no gradient flows through it",
        "disabled": f"{actor} has no adjoint, so no gradient flows through it",
        "missing-zero": f"the gradient of {array} adds up over {proof.passes} backward passes that are each used",
        "stale-gradient": f"the gradient of {array} is zeroed before it is read",
        "view": f"the gradient of {array} is zeroed while a view of it is kept, which reads zeros from here on",
        "loss-accumulates": f"{array} still holds the value of earlier iterations, and this one is added to it",
        "spent": f"{array} seeds a backward pass again, but what it held has been used up",
        "copy-adjoint": f"the adjoint of the copy of {array} overwrites a gradient",
        "replayed": f"{actor} runs its side effects again in its adjoint",
        "round-trip": f"values of {array} go through the host, where no gradient flows",
        "unrecorded-forward": f"{actor} runs outside the tape, so no gradient flows through it",
        "seedless": f"the backward of this tape starts from nothing, so {array} gets no gradient through {actor}",
        "consumed": f"the gradient of {array}, which {actor} writes, is used up by `backward()` and reads zero",
        "birth": f"the gradient of {array} becomes {proof.value or 'non-finite'} in the adjoint of {actor}",
        "adjoint": f"the adjoint of {actor} differs from the derivative of its forward",
    }.get(proof.kind, f"{actor} makes the gradient wrong")
    if proof.read is not None and proof.kind == "spent":
        notes.append((proof.read, "used up here"))
    if proof.read is not None and proof.kind in (
        "view",
        "missing-zero",
        "stale-gradient",
        "consumed",
        "seedless",
        "unrecorded-forward",
    ):
        notes.append((proof.read, "it is read here"))
    return text, _HELP.get(proof.kind, ""), notes
