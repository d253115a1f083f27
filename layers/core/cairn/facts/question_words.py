"""Words that questions about facts are likely to hold."""

from __future__ import annotations

from collections.abc import Mapping

CUES: Mapping[str, str] = {
    "user_name": "name who called",
    "user_nickname": "name call nickname",
    "user_preference": "prefer preference preferred",
    "user_like": "like love enjoy favorite hobby",
    "today_task": "today task todo plan need",
    "weekly_task": "week task todo plan need",
    "user_home": "live home city town country move address where",
    "user_workplace": "work job company employer office",
    "user_role": "work job profession occupation career",
    "user_allergy": "allergy allergic food eat diet avoid cook meal restaurant snack",
}
"""By kind of fact, for the ranking."""
