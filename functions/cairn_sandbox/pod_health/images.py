"""Explain why an image could not be pulled, and what to do."""

from __future__ import annotations

import re

REASONS = frozenset(
    {
        "ErrImageNeverPull",
        "ErrImagePull",
        "ImageInspectError",
        "ImagePullBackOff",
        "InvalidImageName",
        "RegistryUnavailable",
        "SignatureValidationFailed",
    }
)
_BY_REASON = {
    "ErrImageNeverPull": "imagePullPolicy is Never and the node lacks the image: load it there, or allow pulls.",
    "InvalidImageName": "Correct the image's name: registry/repository:tag, in lower case, without a scheme.",
    "SignatureValidationFailed": "Sign the image, or deploy one that the cluster's signature policy admits.",
}
_BY_MESSAGE = (
    (
        r"toomanyrequests|rate limit|\b429\b",
        "The registry limits pulls: authenticate with a pull secret, or mirror it.",
    ),
    (
        r"unauthorized|denied|authentication required|no basic auth|\b40[13]\b",
        "Give the pod or its service account an imagePullSecret for this registry that may read this repository.",
    ),
    (r"no match for platform|no matching manifest|exec format", "Build the image for the node's processor too."),
    (r"not found|manifest unknown|does not exist|\b404\b", "No such repository or tag: correct it, or push the image."),
    (
        r"x509|certificate|no such host|i/o timeout|connection refused|deadline exceeded|network is unreachable",
        "The node does not reach the registry: check its name, DNS, proxy, firewall and certificate.",
    ),
)
_OTHERWISE = "Pull the image by hand with the pod's pull secret; the events say what the registry answered."


def hint(reason: str, message: str) -> str:
    """Return what to do about an image, after the kubelet's reason and the registry's words."""
    if reason in _BY_REASON:
        return _BY_REASON[reason]
    told = (advice for pattern, advice in _BY_MESSAGE if re.search(pattern, message, re.IGNORECASE))
    return next(told, _OTHERWISE)
