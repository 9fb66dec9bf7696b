"""`Memory`: one method a use case; the only thing interfaces see."""
