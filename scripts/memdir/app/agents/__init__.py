"""What agents' programs are told and tell: hooks and their events, and the files of a client in which memdir stands."""
