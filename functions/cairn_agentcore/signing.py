"""Prove the signature of a request with the body that the authorizer never saw, and tell who calls then."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

from cairn.access.callers import Caller
from cairn.access.signed_requests import Flaw, Proof
from cairn.edge.callers import caller
from cairn.edge.events import Request
from cairn.ground.errors import PermissionDenied
from cairn_agentcore.errors import NotSigned, UnknownOperation
from cairn_agentcore.paths import Reading


def proven(request: Request, query: str, found: Sequence[Reading]) -> tuple[Caller, Reading, str]:
    """Return who calls, what is asked, and the signature, empty where a key was shown as other clients show one.

    UnknownOperation where nothing is asked, NotSigned where the request is signed and its signature is not of it,
    Unauthenticated where nothing was shown.
    """
    if not found:
        raise UnknownOperation("There is no such operation here")
    context = dict(request.caller_context or {})
    if "flaw" in context:
        raise NotSigned.of(cast("Flaw", context["flaw"]))
    if context.get("refused") != "unproven":
        return caller(request), found[0], ""
    proof = _proof(context)
    path = proof.path_of(
        method=request.method,
        paths=[each.sent for each in found],
        query=query,
        headers=request.headers,
        body=request.body,
    )
    if path is None:
        raise NotSigned.of("signature")
    meant = next(each for each in found if each.sent == path)
    return caller(replace(request, caller_context=json.loads(context["claim"]))), meant, proof.signature


def _proof(context: dict[str, Any]) -> Proof:
    try:
        return Proof.of(str(context["proof"]))
    except (KeyError, ValueError, TypeError, IndexError):
        raise PermissionDenied("missing authorization") from None
