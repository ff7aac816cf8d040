"""Solve all states on a device: which form is for it, what it needs of the device's memory, and the database."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from searchbench.errors import BadRequest
from searchbench.exchange.ranks import ALONE, current
from searchbench.first_state import check_first_state
from searchbench.game import Game
from searchbench.index.diagram import Diagram
from searchbench.index.protocol import line_size
from searchbench.jit import Device
from searchbench.run import Run
from searchbench.solvers.exhaustive.bits.search import in_order, one_bit_bytes, two_bit_bytes
from searchbench.solvers.exhaustive.bits.solve import ONE_BIT, REACHABILITY, TWO_BIT, obstacle
from searchbench.solvers.exhaustive.by_streaming import STREAMING
from searchbench.solvers.exhaustive.device import streaming
from searchbench.solvers.exhaustive.device.blocks import least_bytes, search_in_blocks
from searchbench.solvers.exhaustive.device.retrograde import DeviceRetrograde, bytes_needed
from searchbench.solvers.exhaustive.device.search import search_one_bit, search_two_bit, small_bytes
from searchbench.solvers.exhaustive.device.sweep import DeviceSweep
from searchbench.solvers.exhaustive.diagrams.forward import quickest_target
from searchbench.solvers.exhaustive.diagrams.solve import solve_by_sweep
from searchbench.solvers.exhaustive.permutations.plan import BLOCK, Plan
from searchbench.solvers.exhaustive.request import Request
from searchbench.store import Database
from searchbench.store.bits import BitCodes, Layer, PlainBits
from searchbench.store.planes import PlaneCodes
from searchbench.store.working import working_folder
from searchbench.values import BFS, RETROGRADE, SWEEP, Depth, Reached, ValueRule

FORMS: Final = (STREAMING, TWO_BIT, ONE_BIT, REACHABILITY)
"""The forms of breadth-first search on a device, the best one first."""


def check_device(request: Request, device: Device) -> None:
    """Refuse what devices do not do. Raises BadRequest."""
    told = f"device {device.name}:"
    if current() is not ALONE:
        raise BadRequest(f"{told} several ranks solve by their processors; leave out --device, or mpiexec")
    if request.parts is not None:
        raise BadRequest(f"{told} parts are solved one by one by the processor; leave out --device, or the parts")
    if request.take is not None:
        raise BadRequest(f"{told} the processor takes values from other databases; leave out --device, or --take")
    if request.choice.solver == RETROGRADE:
        if request.choice.rule.points:
            raise BadRequest(
                f"{told} values of {request.choice.rule.name!r} are found by the processor; leave out --device"
            )
        return
    if request.choice.solver == SWEEP:
        if request.symbolic is not None:
            raise BadRequest(f"{told} binary diagrams are made by the processor; leave out --device, or --symbolic")
        return
    if request.choice.solver != BFS:
        solver = request.choice.solver
        raise BadRequest(f"{told} solver {solver!r} runs on the processor; devices run {BFS}, {RETROGRADE} and {SWEEP}")
    if request.form is None:
        _serving(request.game, request.choice.forms, device)
    elif request.form not in FORMS:
        raise BadRequest(f"form {request.form!r}: device {device.name} takes {', '.join(FORMS)}")
    elif why_not := _obstacle(request.game, request.form):
        raise BadRequest(f"form {request.form!r}: {why_not}")


def solve_on_device(request: Request, run: Run, device: Device) -> Database:
    """Solve every state as it was chosen, on a device; see :func:`check_device`. Raises OutOfMemory before it starts."""
    game = request.game
    check_first_state(game)
    if request.choice.solver == RETROGRADE:
        return _solve_backwards(game, request.choice.rule, run, device)
    if request.choice.solver == SWEEP:
        return _sweep(game, run, device)
    plan = _plan(request, device)
    if plan is not None:
        return _solve_by_streaming(game, plan, run, device)
    form = request.form or _serving(game, request.choice.forms, device)
    size = line_size(game.parts())
    what = _what(game, size, form)
    needed = (two_bit_bytes if form == TWO_BIT else one_bit_bytes)(size) + small_bytes(game)
    in_blocks = form == TWO_BIT and needed > device.memory
    here = least_bytes(game) if in_blocks else needed
    facts = {"solver": BFS, "form": form, **_room(here, needed, what, run, device)}
    if in_blocks:
        facts |= {"memory": device.memory, "in blocks": True}
    return _solve_in_bits(game, form, run, device, facts)


def _room(needed: int, here: int, what: str, run: Run, device: Device) -> dict[str, Any]:
    """Ask for memory on the device and `here`; return the facts of that. Raises OutOfMemory."""
    _demand(needed, what, device)
    run.demand(here, what)
    return _facts(needed, device)


def _demand(needed: int, what: str, device: Device) -> None:
    device.demand(needed, what, "leave out --device to solve it by the processor")


def _facts(needed: int, device: Device) -> dict[str, Any]:
    return {"memory": needed, "device": device.name, **({"simulated": True} if device.simulated else {})}


def _what(game: Game, size: int, form: str) -> str:
    return f"solving {game} ({size:,} states) with bfs in the form {form}"


def _solve_backwards(game: Game, rule: ValueRule, run: Run, device: Device) -> Database:
    size = line_size(game.parts())
    room = _room(bytes_needed(size), 9 * size, f"solving {game} ({size:,} states) with {RETROGRADE}", run, device)
    search = DeviceRetrograde(game, rule, run, device)
    codes = search.solve()
    told = {"levels": search.levels, **run.times, "threads": run.threads}
    return Database(game, rule, codes, {"solver": RETROGRADE, **told, **room})


def _solve_by_streaming(game: Game, plan: Plan, run: Run, device: Device) -> Database:
    needed = streaming.bytes_needed(plan)
    what = _what(game, plan.game.size, STREAMING)
    room = _room(needed, plan.table_bytes + 16 * plan.words, what, run, device)
    layers = streaming.search_rows(game, plan, run, device)
    return Database(game, Depth(), layers.codes, {**layers.facts(STREAMING, run, needed), **room})


def _plan(request: Request, device: Device) -> Plan | None:
    """Return the plan of a search by streaming; None where another form is asked for, or has to do.

    Raises BadRequest, and OutOfMemory where the form is asked for.
    """
    told = streaming.served(request.game)
    if told is None or request.form not in (None, STREAMING):
        return None
    least = streaming.least_bytes(told)  # asked first: the tables of a plan that is too large take minutes to make
    if request.form == STREAMING:
        _demand(least, _what(request.game, told.size, STREAMING), device)
        return Plan(told)
    if told.places == 1 or STREAMING not in request.choice.forms or least > device.memory:
        return None  # of one place, most moves go anywhere: the tables take longer than they save
    try:
        plan = Plan(told)
    except BadRequest:
        return None
    return plan if streaming.bytes_needed(plan) <= device.memory else None


def _obstacle(game: Game, form: str) -> str:
    """Return why a form on a device does not serve a game, or "" if it does."""
    if form != STREAMING:
        return obstacle(game, form)
    if streaming.served(game) is None:
        return f"{game} does not tell its moves as rearrangements of {BLOCK} or more different elements, each undone by a move"
    return ""


def _sweep(game: Game, run: Run, device: Device) -> Database:
    """Find the layers by the processor, and settle them on the device."""
    made: list[DeviceSweep] = []

    def settling(diagram: Diagram) -> DeviceSweep:
        made.append(DeviceSweep(diagram, run, device))
        return made[0]

    database = solve_by_sweep(game, run, quickest_target(game, run), sweep=settling)
    database.facts |= _facts(made[0].needed, device)
    return database


def _serving(game: Game, forms: Sequence[str], device: Device) -> str:
    """Return the best form without rows that serves a game. Raises BadRequest."""
    for form in FORMS[1:]:
        if form in forms and not obstacle(game, form):
            return form
    raise BadRequest(f"{game}: none of the forms of device {device.name} serves it: {', '.join(FORMS)}")


def _solve_in_bits(game: Game, form: str, run: Run, device: Device, facts: dict[str, Any]) -> Database:
    size = line_size(game.parts())
    if form == TWO_BIT:
        with working_folder(game, form, run) as work:
            layers = (search_in_blocks if "in blocks" in facts else search_two_bit)(game, run, device, work)
        told = {"levels": len(layers.counts), **run.times, "threads": run.threads}
        few = {str(depth): numbers for depth, numbers in layers.few.items()}
        codes = PlaneCodes(layers.low, layers.high, layers.parts, size)
        return Database(game, Depth(), codes, {**facts, **told, "few": few})
    reach, counts = search_one_bit(game, run, device, form == ONE_BIT)
    told = {"levels": len(reach.counts), **run.times, "threads": run.threads}
    bits = PlainBits(reach.words)
    layered = {"layers": reach.counts} if form == ONE_BIT else {}
    return Database(
        game,
        Reached(),
        BitCodes(in_order(game.parts()), [Layer(bits, 0, 1, count) for count in counts]),
        {**facts, **layered, **told},
    )
