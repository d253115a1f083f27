"""Detect secrets and personal data: `detector.scan` finds them, `detector.mask` replaces them."""
