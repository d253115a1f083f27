"""The detector of secrets and personal data: `detector.scan` finds, `detector.mask` replaces."""
