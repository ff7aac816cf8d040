"""Pass a game's data on, within compiled functions that do not mention it (:mod:`searchbench.jit.data`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numba.core import ir
from numba.core.compiler_machinery import FunctionPass, register_pass

from searchbench.jit.data import PASSED_ON


@register_pass(mutates_CFG=False, analysis_only=False)
class PassData(FunctionPass):
    """Append the data to the calls that a function's mark `searchbench_calls` names."""

    _name = "searchbench_pass_data"

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state: Any) -> bool:
        """Change the calls of a function's intermediate code."""
        calls: Mapping[str, int] = state.func_id.func.searchbench_calls
        code = state.func_ir
        data = next(iter(code.blocks.values())).scope.get(PASSED_ON)
        for block in code.blocks.values():
            for expression in block.find_exprs(op="call"):
                count = calls.get(_name_of(code, expression.func), 0)
                expression.args = [*expression.args, *([data] * count)]
        return True


def _name_of(code: Any, variable: Any) -> str:
    """Return the name of the global, of the value in the closure, or of the module's attribute that is called."""
    try:
        definition = code.get_definition(variable)
    except KeyError:  # several definitions: none that is bound
        return ""
    if isinstance(definition, (ir.Global, ir.FreeVar)):
        return str(definition.name)
    return ""
