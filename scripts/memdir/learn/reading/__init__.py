"""Sentences read by rules, in English and Chinese: what states a value, a wish or a decision, and what nothing."""
