"""The structural actions by the names of their functions; light to import.

An action is a file of `actions.structural` and a line here: exports, names of scenarios and the interpreter follow.
"""

from __future__ import annotations

STRUCTURAL = {
    "ActionAttach": "attach",
    "ActionRelease": "release",
    "ActionReleaseAndAttach": "release_and_attach",
    "ActionFlipChain": "flip_chain",
    "ActionDelete": "delete",
    "ActionAdd": "add",
    "ActionLock": "lock_joint",
    "ActionUnlock": "unlock_joint",
}
"""Name of the function that records an action -> file in `actions.structural`."""
