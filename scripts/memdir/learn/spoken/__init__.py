"""What a person says in a conversation that is worth keeping: own words, cues, candidates; how a conversation ended."""
